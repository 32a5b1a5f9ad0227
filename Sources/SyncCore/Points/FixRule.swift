/// What a track's fixes are judged by: how fast its sport can be.
package struct FixRule: Hashable, Sendable {
    /// Metres a second above which a way there and back is none; infinite where nothing is judged.
    package let speedLimit: Double

    /// Believes every fix.
    package static let off = FixRule(speedLimit: .infinity)

    /// Of a sport that is not known, or has no limit of its own: faster than boats and skiers.
    package static let usual = FixRule(speedLimit: 60)

    /// Judges by a speed in metres a second.
    package init(speedLimit: Double) {
        self.speedLimit = speedLimit
    }

    /// The rule of a sport, by how the words of its name begin.
    package init(sport: String?) {
        let words = (sport ?? "").lowercased().split { !$0.isLetter }
        let limit = Self.limits.first { limit in
            limit.stems.contains { stem in words.contains { $0.hasPrefix(stem) } }
        }
        self = limit?.rule ?? .usual
    }

    /// Above what people reached, with room for a receiver's error; the first that fits counts.
    private static let limits: [(stems: [String], rule: FixRule)] = [
        (
            ["cycl", "bicycl", "bik", "rid", "skat", "row", "kayak", "canoe", "paddl"],
            FixRule(speedLimit: 40)
        ),
        (
            ["run", "jog", "walk", "hik", "climb", "mountain", "swim", "golf", "skyrun"],
            FixRule(speedLimit: 15)
        ),
        (["motor", "driv"], FixRule(speedLimit: 100)),
        (["fly", "flight", "glid", "paraglid", "hang", "aviat", "sky"], FixRule(speedLimit: 350)),
    ]
}
