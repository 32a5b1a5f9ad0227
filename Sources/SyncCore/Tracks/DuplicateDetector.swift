/// How a track is like another: the same outing by another device, converter or program.
///
/// Two tracks are alike that were at the same places at the same instants. That holds at any rate
/// of samples, for clocks of whole seconds, and for a copy in which local time stands as UTC. It is
/// false for the same way on another day, and true for two people of one crew: a program can say
/// that two tracks are alike, and only a person that one of them is too many.
package struct DuplicateDetector: Hashable, Sendable {
    /// How much later the other's clock shows the same place: 0, or whole quarter hours.
    package let shiftMilliseconds: Int64

    /// Judges a track by its way marks against another's samples, in which each shift is tried.
    ///
    /// Of a track that is known as a part it is enough that the other has its time. `read` hands all
    /// samples of the other to its argument, in their order.
    package init?(
        of marks: TrackMarks,
        to other: ClosedRange<UnixTime>,
        isPart: Bool = false,
        reading read: ((Sample) -> Void) throws -> Void
    ) rethrows {
        var trials = marks.shifts(to: other, isPart: isPart).map { shift in
            (shift, InterpolatedPositions(at: marks.way.instants.map { $0 + shift }))
        }
        guard !trials.isEmpty else { return nil }
        try read { sample in
            for index in trials.indices { trials[index].1.add(sample) }
        }
        let found = trials.first { shift, way in marks.isSameOuting(as: way, shifted: shift != 0) }
        guard let found else { return nil }
        shiftMilliseconds = found.0
    }
}

/// What a track is judged by: when it was, and where at instants spread over that time.
package struct TrackMarks: Sendable {
    /// From its first time to its last, of those that can be gone by.
    package let times: ClosedRange<UnixTime>
    let way: InterpolatedPositions

    /// So many places are compared.
    private static let instantCount: Int64 = 128
    /// Of less there is too little to tell tracks by.
    private static let shortestMilliseconds: Int64 = 60_000
    private static let quarterMilliseconds: Int64 = 900_000
    /// The time zones lie between 12 hours behind UTC and 14 before it.
    private static let furthestShiftMilliseconds: Int64 = 14 * 3_600_000
    /// The common time, of that of the longer.
    private static let leastOverlap = 0.6

    /// The marks of samples; nil where they last less than a minute, or have no times.
    ///
    /// A fix that is out of time by the rule says nothing of when the track was.
    package init?(of samples: some Sequence<Sample>, by rule: FixRule = .usual) {
        var distance = Distance(rule)
        for sample in samples { distance.add(sample) }
        distance.end()
        guard let (first, last) = distance.times.map({ ($0.lowerBound, $0.upperBound) }),
            UnixTime.plausible.contains(first), UnixTime.plausible.contains(last),
            last - first >= Self.shortestMilliseconds
        else { return nil }
        times = UnixTime(milliseconds: first)...UnixTime(milliseconds: last)
        var way = InterpolatedPositions(
            at: (0..<Self.instantCount).map { place in
                first + (last - first) * (2 * place + 1) / (2 * Self.instantCount)
            }
        )
        for sample in samples { way.add(sample) }
        self.way = way
    }

    /// Between which instants a track begins that may be alike.
    package var starts: ClosedRange<UnixTime> {
        let reach = Self.furthestShiftMilliseconds + Self.quarterMilliseconds + times.milliseconds
        let start = times.lowerBound.milliseconds
        return UnixTime(milliseconds: start - reach)...UnixTime(milliseconds: start + reach)
    }

    /// The shifts with which a track of these times overlaps enough, the least first.
    func shifts(to other: ClosedRange<UnixTime>, isPart: Bool = false) -> [Int64] {
        guard UnixTime.plausible.contains(other.lowerBound.milliseconds),
            UnixTime.plausible.contains(other.upperBound.milliseconds)
        else { return [] }
        let difference = other.lowerBound.milliseconds - times.lowerBound.milliseconds
        let quarter = Double(Self.quarterMilliseconds)
        let shift = Int64((Double(difference) / quarter).rounded()) * Self.quarterMilliseconds
        return (shift == 0 ? [0] : [0, shift]).filter {
            abs($0) <= Self.furthestShiftMilliseconds
                && overlaps(other, shiftedBy: $0, isPart: isPart)
        }
    }

    private func overlaps(
        _ other: ClosedRange<UnixTime>,
        shiftedBy shift: Int64,
        isPart: Bool
    ) -> Bool {
        let start = max(times.lowerBound.milliseconds, other.lowerBound.milliseconds - shift)
        let finish = min(times.upperBound.milliseconds, other.upperBound.milliseconds - shift)
        let whole = isPart ? times.milliseconds : max(times.milliseconds, other.milliseconds)
        return Double(finish - start) >= Self.leastOverlap * Double(whole)
    }

    /// Whether the other was at the same places.
    ///
    /// A shifted copy is a copy: its places are nearly the same, and a boat that lies still proves
    /// nothing.
    func isSameOuting(as other: InterpolatedPositions, shifted: Bool) -> Bool {
        let pairs = zip(way.places, other.places).compactMap { mine, theirs in
            mine.flatMap { mine in theirs.map { (mine, $0) } }
        }
        guard let start = pairs.first?.0, pairs.count >= Self.leastPairs else { return false }
        let (tolerance, share) = shifted ? Self.copy : Self.outing
        let near = pairs.count { $0.metres(to: $1) <= tolerance }
        guard Double(near) >= share * Double(pairs.count) else { return false }
        return !shifted || pairs.contains { start.metres(to: $0.0) >= Self.leastWayMetres }
    }

    private static let leastPairs = 16
    /// Two receivers on one boat, antennas and errors included: metres, and the share within.
    private static let outing = (50.0, 0.8)
    /// One receiver's places, thinned and rounded.
    private static let copy = (25.0, 0.95)
    private static let leastWayMetres = 200.0
}

extension ClosedRange<UnixTime> {
    fileprivate var milliseconds: Int64 { upperBound.milliseconds - lowerBound.milliseconds }
}
