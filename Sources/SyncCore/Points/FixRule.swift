/// What a track's fixes are judged by: how fast its sport can be.
package struct FixRule: Hashable, Sendable {
    /// Metres a second above which a way there and back is none; infinite where nothing is judged.
    package let speedLimit: Double

    /// Believes every fix.
    package static let off = FixRule(speedLimit: .infinity)

    /// What nobody is faster than who is out of sight for some minutes, in metres a second: the sport's
    /// limit, and 90 km/h from door to door where it is no sport of engines.
    var unseenSpeedLimit: Double {
        speedLimit <= Self.usual.speedLimit ? min(speedLimit, 25) : speedLimit
    }

    /// Of a sport that is not known, or has no limit of its own: faster than boats and skiers.
    package static let usual = FixRule(speedLimit: 60)

    /// Judges by a speed in metres a second.
    package init(speedLimit: Double) {
        self.speedLimit = speedLimit
    }

    /// The rule of a sport: above what people reached, with room for a receiver's error.
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
