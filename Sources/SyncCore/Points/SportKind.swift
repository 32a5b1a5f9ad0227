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
        let words = (sport ?? "").lowercased().split { !$0.isLetter }
        let kind = Self.allCases.first { kind in
            kind.stems.contains { stem in words.contains { $0.hasPrefix(stem) } }
        }
        self = kind ?? .other
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
