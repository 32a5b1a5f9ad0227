/// The distance and duration of a track.
///
/// The time from the first to the last fix is moving, stopped or paused. Pauses lie between
/// segments. Within a segment, time counts as stopped while the speed is below the sport's
/// ``SportKind/stillSpeed``. That speed is averaged over the last ten seconds, or over the last leg
/// if it took longer. Where a time goes backwards or is missing, the distance counts and the time
/// does not.
package struct Totals: Hashable, Sendable {
    /// Metres along the believed fixes, without pauses.
    package private(set) var metres = 0.0
    /// The metres covered while moving; drifting at anchor does not count.
    package private(set) var movingMetres = 0.0
    package private(set) var movingSeconds = 0.0
    /// Seconds stopped within segments.
    package private(set) var stoppedSeconds = 0.0
    package private(set) var pausedSeconds = 0.0
    /// Metres a second; slower is stopped.
    private let stillSpeed: Double

    init(_ sport: SportKind) { stillSpeed = sport.stillSpeed }

    /// Adds a leg and returns whether it was movement.
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

    package var recordedSeconds: Double { movingSeconds + stoppedSeconds }

    package var elapsedSeconds: Double { recordedSeconds + pausedSeconds }

    /// Metres a second while moving, or nil if nothing moved.
    package var movingSpeed: Double? { movingSeconds > 0 ? movingMetres / movingSeconds : nil }

    /// Metres a second within segments, including stops, or nil if the segments took no time.
    package var meanSpeed: Double? { recordedSeconds > 0 ? metres / recordedSeconds : nil }
}

extension SportKind {
    /// Metres a second below which a track counts as stopped.
    ///
    /// It is below the slowest movement that lasts ten seconds, and above the apparent movement of
    /// a receiver that lies still.
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
