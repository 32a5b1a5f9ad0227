/// Where a track was at some instants, whatever the rate of its samples.
///
/// Samples are added in their order and not kept. Between two of them the way is straight; where
/// they are too far apart in time nothing is known.
package struct InterpolatedPositions: Sendable {
    /// Ascending, in Unix milliseconds.
    package let instants: [Int64]
    /// By instant; nil where it is not known.
    package private(set) var places: [Coordinate?]
    private var last: (time: Int64, place: Coordinate)?

    /// A pause or a gap of reception is no straight line.
    private static let longestGapMilliseconds: Int64 = 120_000

    /// Nothing known yet of any of the instants, which are ascending.
    package init(at instants: [Int64]) {
        self.instants = instants
        places = Array(repeating: nil, count: instants.count)
    }

    /// Goes on to a sample.
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
    /// The place at a part of the short way to another, for two that are near.
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
