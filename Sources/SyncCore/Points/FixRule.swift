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

    /// The rule of a sport, by words that its name has in it.
    package init(sport: String?) {
        let name = sport?.lowercased() ?? ""
        self = Self.limits.first { $0.words.contains(where: name.contains) }?.rule ?? .usual
    }

    /// Above what people reached, with room for a receiver's error.
    ///
    /// The first that fits counts, so that a motorcycle is no bicycle.
    private static let limits: [(words: [String], rule: FixRule)] = [
        (["fly", "flight", "glid", "aviat", "sky"], FixRule(speedLimit: 350)),
        (["motor", "driv", "car", "train"], FixRule(speedLimit: 100)),
        (
            ["run", "jog", "walk", "hik", "climb", "mountain", "swim", "golf"],
            FixRule(speedLimit: 15)
        ),
        (
            ["cycl", "bik", "rid", "skat", "row", "kayak", "canoe", "paddl"],
            FixRule(speedLimit: 40)
        ),
    ]
}
