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
        guard let last, last.time <= time,
            time.subtractingReportingOverflow(last.time).partialValue.magnitude
                <= Self.longestGapMilliseconds.magnitude
        else { return }
        var index = firstIndex(notBefore: last.time)
        while index < instants.count, instants[index] <= time {
            let part = Double(instants[index] - last.time) / Double(max(time - last.time, 1))
            places[index] = places[index] ?? last.place.towards(place, part)
            index += 1
        }
    }

    private func firstIndex(notBefore time: Int64) -> Int {
        var (low, high) = (0, instants.count)
        while low < high {
            let middle = (low + high) / 2
            if instants[middle] < time { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension Coordinate {
    /// Returns the position at a fraction of the shorter way to another one nearby.
    fileprivate func towards(_ other: Coordinate, _ part: Double) -> Coordinate? {
        let turn: Int64 = 3_600_000_000
        var east = Int64(other.longitude) - Int64(longitude)
        if abs(east) > turn / 2 { east -= east.signum() * turn }
        let north = Int64(other.latitude) - Int64(latitude)
        var longitude = Int64(longitude) + Int64((Double(east) * part).rounded())
        if abs(longitude) > turn / 2 { longitude -= longitude.signum() * turn }
        return Coordinate(
            latitude: Int64(latitude) + Int64((Double(north) * part).rounded()),
            longitude: longitude
        )
    }
}
