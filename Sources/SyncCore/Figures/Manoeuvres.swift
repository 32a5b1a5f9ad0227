/// Counts the tacks and gybes of a boat under sail.
///
/// The wind changes sides once its angle has been on the new side for ten seconds. Only angles
/// while the boat moves count, at least 15 degrees from dead ahead and dead astern. They are true
/// wind angles if the data has any, otherwise apparent ones. The change is a tack if turning the
/// bow through the wind was the shorter way round, otherwise a gybe. After a pause, or a minute
/// without wind, the count of seconds begins anew.
package struct Manoeuvres: Hashable, Sendable {
    private static let deadDegrees = 15.0
    private static let holdMilliseconds: Int64 = 10_000
    private static let gapMilliseconds: Int64 = 60_000

    /// The number of times that the bow went through the wind.
    package private(set) var tacks = 0
    /// The number of times that the stern went through the wind.
    package private(set) var gybes = 0
    /// Whether the data has any wind; if not, the counts mean nothing.
    package private(set) var isKnown = false

    private var hasTrueWind = false
    private var segment: Int64?
    private var latest: Int64?
    /// The side that the wind was last on, and the side that it may have changed to.
    private var side: Side?
    private var candidate: Side?

    private struct Side: Hashable {
        /// Degrees from the bow, -180 to 180, starboard positive.
        var degrees: Double
        var since: Int64

        func isSame(_ other: Double) -> Bool { (degrees < 0) == (other < 0) }
    }

    /// Adds a sample; `isMoving` says whether the boat moved to it.
    mutating func add(_ sample: Sample, isMoving: Bool) {
        guard let angle = angle(of: sample), let time = sample.plausibleTime?.milliseconds
        else { return }
        isKnown = true
        let wait = latest.map { time - $0 } ?? 0
        if segment != sample.segment || !(0...Self.gapMilliseconds).contains(wait) {
            (side, candidate) = (nil, nil)
        }
        (segment, latest) = (sample.segment, time)
        guard isMoving, (Self.deadDegrees...180 - Self.deadDegrees).contains(abs(angle))
        else { return }
        take(angle, at: time)
    }

    private mutating func take(_ angle: Double, at time: Int64) {
        if let side, side.isSame(angle) {
            self.side?.degrees = angle
            candidate = nil
            return
        }
        guard let since = candidate.flatMap({ $0.isSame(angle) ? $0.since : nil }) else {
            candidate = Side(degrees: angle, since: time)
            return
        }
        guard time - since >= Self.holdMilliseconds else { return }
        if let side {
            if abs(side.degrees) + abs(angle) < 180 { tacks += 1 } else { gybes += 1 }
        }
        (side, candidate) = (Side(degrees: angle, since: since), nil)
    }

    /// Returns the wind angle from the bow, -180 to 180 degrees, starboard positive.
    private mutating func angle(of sample: Sample) -> Double? {
        let trueAngle = sample[count: .windAngleTrue]
        if trueAngle != nil { hasTrueWind = true }
        let angle = hasTrueWind ? trueAngle : sample[count: .windAngleApparent]
        guard let angle, (-3600...3600).contains(angle) else { return nil }
        let turn = (angle % 3600 + 3600) % 3600
        return Double(turn > 1800 ? turn - 3600 : turn) / 10
    }
}
