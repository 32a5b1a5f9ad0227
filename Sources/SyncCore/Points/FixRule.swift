/// The speed limit that a track's fixes are filtered by, according to its sport.
package struct FixRule: Hashable, Sendable {
    /// The greatest possible speed in metres a second; infinite to believe every fix.
    package let speedLimit: Double

    package static let off = FixRule(speedLimit: .infinity)

    /// The limit in metres a second while a receiver reports nothing for minutes.
    ///
    /// The sport's own limit, but at most 90 km/h for sports without an engine.
    var unseenSpeedLimit: Double {
        speedLimit <= Self.usual.speedLimit ? min(speedLimit, 25) : speedLimit
    }

    /// The rule for unknown sports and those without a limit; above the speed of boats and skiers.
    package static let usual = FixRule(speedLimit: 60)
}

extension FixRule {
    /// Creates the rule for a sport: above the fastest people, with a margin for receiver error.
    package init(sport: String?) {
        switch SportKind(sport: sport) {
        case .wheels, .paddles: self.init(speedLimit: 40)
        case .foot: self.init(speedLimit: 15)
        case .motor: self.init(speedLimit: 100)
        case .air: self.init(speedLimit: 350)
        case .sail, .other: self = .usual
        }
    }
}
