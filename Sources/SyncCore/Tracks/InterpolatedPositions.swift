/// A track's positions at given instants, whatever its sample rate.
///
/// Samples are added in order and not kept. Positions are interpolated linearly between two points,
/// and unknown if those are too far apart in time.
package struct InterpolatedPositions: Sendable {
    /// The instants in Unix milliseconds, ascending.
    package let instants: [Int64]
    /// The positions by instant, nil where unknown.
    package private(set) var places: [Coordinate?]
    private var last: (time: Int64, place: Coordinate)?

    /// Longer pauses and reception gaps are not interpolated.
    private static let longestGapMilliseconds: Int64 = 120_000

    /// Creates unknown positions for ascending instants.
    package init(at instants: [Int64]) {
        self.instants = instants
        places = Array(repeating: nil, count: instants.count)
    }

    /// Adds the next sample; one without a time or a position is ignored.
    package mutating func add(_ sample: Sample) {
        guard let time = sample.time?.milliseconds, let place = sample.coordinate else { return }
        defer { last = (time, place) }
        guard let last else { return }
        let (gap, isTooLong) = time.subtractingReportingOverflow(last.time)
        guard !isTooLong, 0...Self.longestGapMilliseconds ~= gap else { return }
        var index = instants.partitioningIndex { $0 >= last.time }
        while index < instants.count, instants[index] <= time {
            let part = Double(instants[index] - last.time) / Double(max(gap, 1))
            places[index] = places[index] ?? last.place.towards(place, part)
            index += 1
        }
    }
}

extension Coordinate {
    /// Returns the position at a fraction of the shorter way to another one nearby.
    fileprivate func towards(_ other: Coordinate, _ part: Double) -> Coordinate? {
        let east = Self.wrapped(Int64(other.longitude) - Int64(longitude))
        let north = Int64(other.latitude) - Int64(latitude)
        return Coordinate(
            latitude: Int64(latitude) + Int64((Double(north) * part).rounded()),
            longitude: Self.wrapped(Int64(longitude) + Int64((Double(east) * part).rounded()))
        )
    }
}
