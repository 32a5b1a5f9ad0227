/// How often a boat under sail went through the wind.
///
/// The wind comes from the other side when its angle from the bow (the true one where there is any,
/// else the apparent) has been there for ten seconds, 15 degrees or more from dead ahead and dead astern, while the boat
/// moves. It went through the wind with its bow, a tack, where that was the shorter way round, else
/// with its stern, a gybe. Pauses, and a minute without wind, begin anew.
package struct Manoeuvres: Hashable, Sendable {
    private static let deadDegrees = 15.0
    private static let holdMilliseconds: Int64 = 10_000
    private static let gapMilliseconds: Int64 = 60_000

    /// Times that the bow went through the wind.
    package private(set) var tacks = 0
    /// Times that the stern did.
    package private(set) var gybes = 0
    /// Whether there was any wind in the data; without, the numbers say nothing.
    package private(set) var isKnown = false

    private var hasTrueWind = false
    private var segment: Int64?
    private var latest: Int64?
    /// The side that the wind was on last, and the one that it may have changed to.
    private var side: Side?
    private var candidate: Side?

    private struct Side: Hashable {
        /// From the bow, -180 to 180, to starboard positive.
        var degrees: Double
        var since: Int64

        func isSame(_ other: Double) -> Bool { (degrees < 0) == (other < 0) }
    }

    /// Nothing yet.
    init() {}

    /// Goes on to a sample; `isMoving` says whether the boat moved to it.
    mutating func add(_ sample: Sample, isMoving: Bool) {
        guard let angle = angle(of: sample), let time = sample.plausibleMilliseconds else {
            return
        }
        isKnown = true
        let wait = latest.map { time - $0 } ?? 0
        if segment != sample.segment || !(0...Self.gapMilliseconds).contains(wait) {
            (side, candidate) = (nil, nil)
        }
        (segment, latest) = (sample.segment, time)
        guard isMoving, (Self.deadDegrees...180 - Self.deadDegrees).contains(abs(angle)) else {
            return
        }
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

    /// From the bow, -180 to 180 degrees, to starboard positive.
    private mutating func angle(of sample: Sample) -> Double? {
        let trueAngle = sample[count: .windAngleTrue]
        if trueAngle != nil { hasTrueWind = true }
        let angle = hasTrueWind ? trueAngle : sample[count: .windAngleApparent]
        guard let angle, (-3600...3600).contains(angle) else { return nil }
        let turn = (angle % 3600 + 3600) % 3600
        return Double(turn > 1800 ? turn - 3600 : turn) / 10
    }
}
