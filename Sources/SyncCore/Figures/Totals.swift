/// How far and how long a track went.
///
/// The time from the first to the last fix is moving, stopped or paused. A pause is what lies
/// between two segments. Within a segment one is stopped whose speed over the last ten seconds, or
/// over the last leg where that took longer, is below what is movement in the sport
/// (``SportKind/stillSpeed``). Where times go back or are not known, the way counts and the time does
/// not.
package struct Totals: Hashable, Sendable {
    /// Metres along the believed fixes, not across pauses.
    package private(set) var metres = 0.0
    /// The part of it that was not made while stopped, as drifting at anchor is.
    package private(set) var movingMetres = 0.0
    /// Seconds of movement.
    package private(set) var movingSeconds = 0.0
    /// Seconds without, within segments.
    package private(set) var stoppedSeconds = 0.0
    /// Seconds between segments.
    package private(set) var pausedSeconds = 0.0
    /// Metres a second below which one is stopped.
    private let stillSpeed: Double

    /// Nothing yet.
    init(_ sport: SportKind) {
        stillSpeed = sport.stillSpeed
    }

    /// Goes on along a leg; whether that was movement.
    @discardableResult mutating func add(_ leg: Leg) -> Bool {
        metres += leg.metres
        guard let seconds = leg.seconds else { return false }
        guard !leg.isPause else {
            pausedSeconds += seconds
            return false
        }
        guard let speed = leg.speed, speed.metresPerSecond >= stillSpeed else {
            stoppedSeconds += seconds
            return false
        }
        movingMetres += leg.metres
        movingSeconds += seconds
        return true
    }

    /// Seconds within segments.
    package var recordedSeconds: Double { movingSeconds + stoppedSeconds }

    /// Seconds from the first to the last fix.
    package var elapsedSeconds: Double { recordedSeconds + pausedSeconds }

    /// Metres a second while moving; nil where nothing moved.
    package var movingSpeed: Double? {
        movingSeconds > 0 ? movingMetres / movingSeconds : nil
    }

    /// Metres a second within segments, stops counted; nil where they took no time.
    package var meanSpeed: Double? { recordedSeconds > 0 ? metres / recordedSeconds : nil }
}

extension SportKind {
    /// Metres a second below which one is stopped: under the slowest that goes on for ten seconds, and
    /// above what a receiver wanders that lies still.
    package var stillSpeed: Double {
        switch self {
        case .wheels: 0.7
        case .motor: 1
        case .air: 2
        case .sail: 0.25
        case .foot, .paddles, .other: 0.3
        }
    }
}
