/// The north that a direction refers to.
package enum North: Sendable {
    /// Where the meridians meet.
    case geographic
    case magnetic
}

/// The angle of a compass east of true north (magnetic variation), and its source.
package struct Variation: Hashable, Sendable {
    package enum Source: String, Sendable {
        /// A receiver or compass of the track.
        case data
        /// ``MagneticModel``.
        case model
    }

    /// Degrees, east positive.
    package let degrees: Double
    package let source: Source
}

/// A heading and the north that it refers to.
package struct Heading: Hashable, Sendable {
    package let degrees: Double
    package let north: North
    /// The variation used to convert it from the other north, or nil if it is as it was read.
    package let variation: Variation?

    /// Creates a heading from any angle, normalized to one turn.
    package init(_ degrees: Double, _ north: North, _ variation: Variation?) {
        (self.degrees, self.north, self.variation) = (degrees.turned, north, variation)
    }
}

/// Converts headings to the north that a person wants, sample by sample.
///
/// Uses the variation from the data if it is at most an hour old, otherwise the model's at the
/// latest place and time. Without a variation, a heading keeps the north that it was read from, and
/// says so.
package struct Compass: Sendable {
    private static let dataMilliseconds: Int64 = 3_600_000
    /// The model is evaluated again after 0.05 degrees or a day; the variation changes little below
    /// that.
    private static let modelCounts: Int64 = 500_000
    private static let modelMilliseconds: Int64 = 86_400_000

    private let north: North
    private var time: Int64?
    private var place: Coordinate?
    private var read: (degrees: Double, time: Int64?)?
    private var modelled: (degrees: Double?, place: Coordinate, time: Int64)?

    package init(_ north: North) { self.north = north }

    /// Adds a sample and returns its heading, or nil if it has none.
    package mutating func add(_ sample: Sample) -> Heading? {
        time = sample.plausibleTime?.milliseconds ?? time
        place = sample.coordinate.flatMap { $0.isZero ? nil : $0 } ?? place
        if let degrees = sample[.variation], abs(degrees) <= 180 { read = (degrees, time) }
        let (geographic, magnetic) = (sample[.headingTrue], sample[.headingMagnetic])
        switch north {
        case .geographic: return heading(geographic, else: magnetic, turned: 1, from: .magnetic)
        case .magnetic: return heading(magnetic, else: geographic, turned: -1, from: .geographic)
        }
    }

    /// Returns the variation at the latest place and time, or nil if it is unknown.
    package mutating func variation() -> Variation? {
        if let read, isFresh(read.time) { return Variation(degrees: read.degrees, source: .data) }
        guard let place, let time else { return nil }
        if modelled.map({ !isNear($0.place, place) || !isSameDay($0.time, time) }) ?? true {
            let unixTime = UnixTime(milliseconds: time)
            modelled = (MagneticModel.variation(at: place, unixTime), place, time)
        }
        return modelled?.degrees.map { Variation(degrees: $0, source: .model) }
    }

    private mutating func heading(
        _ wanted: Double?,
        else other: Double?,
        turned sign: Double,
        from otherNorth: North
    ) -> Heading? {
        if let wanted { return Heading(wanted, north, nil) }
        guard let other else { return nil }
        guard let variation = variation() else { return Heading(other, otherNorth, nil) }
        return Heading(other + sign * variation.degrees, north, variation)
    }

    private func isFresh(_ then: Int64?) -> Bool {
        guard let then, let time else { return true }
        return abs(time - then) <= Self.dataMilliseconds
    }

    private func isSameDay(_ then: Int64, _ now: Int64) -> Bool {
        abs(now - then) <= Self.modelMilliseconds
    }

    private func isNear(_ place: Coordinate, _ other: Coordinate) -> Bool {
        let north = abs(Int64(place.latitude) - Int64(other.latitude))
        let east = abs(Int64(place.longitude) - Int64(other.longitude))
        return max(north, east) <= Self.modelCounts
    }
}
