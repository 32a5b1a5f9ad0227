/// The kind of movement in a sport, found by the first letters of the words in its name.
package enum SportKind: CaseIterable, Sendable {
    /// Cycling, skating.
    case wheels
    /// Rowing, canoeing.
    case paddles
    /// Running, hiking, swimming.
    case foot
    /// Motor boats, cars.
    case motor
    /// Planes, gliders.
    case air
    /// Boats and boards under sail.
    case sail
    /// Unknown, or without rules of its own.
    case other

    /// Finds the kind of a sport as a person or device named it; the first match wins.
    package init(sport: String?) {
        self = Self.allCases.first { Self.isNamed(sport, by: $0.stems) } ?? .other
    }

    /// Whether a word in the name of a sport begins with one of the stems.
    package static func isNamed(_ sport: String?, by stems: [String]) -> Bool {
        let words = (sport ?? "").lowercased().split { !$0.isLetter }
        return stems.contains { stem in words.contains { $0.hasPrefix(stem) } }
    }

    private var stems: [String] {
        switch self {
        case .wheels: ["cycl", "bicycl", "bik", "rid", "skat"]
        case .paddles: ["row", "kayak", "canoe", "paddl"]
        case .foot: ["run", "jog", "walk", "hik", "climb", "mountain", "swim", "golf", "skyrun"]
        case .motor: ["motor", "driv"]
        case .air: ["fly", "flight", "glid", "paraglid", "hang", "aviat", "sky"]
        case .sail: ["sail", "yacht", "regatta", "windsurf", "kitesurf", "kiteboard"]
        case .other: []
        }
    }
}
