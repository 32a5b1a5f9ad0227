/// Detects two recordings of the same outing by different devices or programs.
///
/// Two tracks are duplicates if they were at the same places at the same times. That works for any
/// sample rate, for clocks of whole seconds, and for a copy that stores local time as UTC. The same
/// route on another day is no duplicate. Two people of one crew do look like duplicates: only a
/// person can decide that one of the tracks is redundant.
package struct DuplicateDetector: Hashable, Sendable {
    /// The other clock's lead at the same place: 0, or whole quarter hours.
    package let shiftMilliseconds: Int64

    /// Compares a track with another's samples, at each plausible shift of the clocks.
    ///
    /// Returns nil if they are not the same outing. If `isPart`, the other track may be longer.
    /// `read` passes all samples of the other track to its argument, in order.
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

/// The data that a track is compared by: its times, and its positions at even intervals.
package struct TrackMarks: Sendable {
    /// The first and the last trusted time.
    package let times: ClosedRange<UnixTime>
    let way: InterpolatedPositions

    /// The number of compared positions.
    private static let instantCount: Int64 = 128
    /// Shorter tracks give too little to compare.
    private static let shortestMilliseconds: Int64 = 60_000
    private static let quarterMilliseconds: Int64 = 900_000
    /// Time zones lie between UTC-12 and UTC+14.
    private static let furthestShiftMilliseconds: Int64 = 14 * 3_600_000
    /// The least share of the longer track's time that both tracks cover.
    private static let leastOverlap = 0.6

    /// Creates the marks of samples, or returns nil if they span less than a minute or have no
    /// times.
    ///
    /// Fixes that the rule flags as untimely do not count for the times.
    package init?(of samples: some Sequence<Sample>, by rule: FixRule = .usual) {
        var distance = Distance(rule)
        for sample in samples { distance.add(sample) }
        distance.end()
        guard let times = distance.times, times.isPlausible,
            times.milliseconds >= Self.shortestMilliseconds
        else { return nil }
        self.times = times
        let instants = (0..<Self.instantCount).map { place in
            times.lowerBound.milliseconds
                + times.milliseconds * (2 * place + 1) / (2 * Self.instantCount)
        }
        var way = InterpolatedPositions(at: instants)
        for sample in samples { way.add(sample) }
        self.way = way
    }

    /// The range of start times of tracks that can be duplicates.
    package var starts: ClosedRange<UnixTime> {
        let reach = Self.furthestShiftMilliseconds + Self.quarterMilliseconds + times.milliseconds
        let start = times.lowerBound.milliseconds
        return UnixTime(milliseconds: start - reach)...UnixTime(milliseconds: start + reach)
    }

    /// Returns the shifts at which the other track overlaps enough, the smallest first.
    ///
    /// Tries 0 and the whole quarter hours nearest to the difference of the starts.
    func shifts(to other: ClosedRange<UnixTime>, isPart: Bool = false) -> [Int64] {
        guard other.isPlausible else { return [] }
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

    /// Whether the other track was at the same places.
    ///
    /// A shifted track must match as closely as a copy, and must have moved: a boat that lies still
    /// proves nothing.
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
    /// Two receivers on one boat, including antenna distance and errors: metres, and the share
    /// within.
    private static let outing = (50.0, 0.8)
    /// Positions of one receiver after thinning and rounding.
    private static let copy = (25.0, 0.95)
    private static let leastWayMetres = 200.0
}

extension ClosedRange<UnixTime> {
    fileprivate var isPlausible: Bool {
        [lowerBound, upperBound].allSatisfy { UnixTime.plausible.contains($0.milliseconds) }
    }

    fileprivate var milliseconds: Int64 { upperBound.milliseconds - lowerBound.milliseconds }
}
