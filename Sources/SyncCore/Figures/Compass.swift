internal import Glibc

/// From which north a direction is told.
package enum North: Sendable {
    /// Where the meridians meet.
    case geographic
    /// Where a compass points.
    case magnetic
}

/// By how much a compass points east of true north, and who says so.
package struct Variation: Hashable, Sendable {
    /// Where a variation comes from.
    package enum Source: String, Sendable {
        /// A receiver or compass of the track itself.
        case data
        /// ``MagneticModel``.
        case model
    }

    /// East positive.
    package let degrees: Double
    /// Who says so.
    package let source: Source
}

/// A heading, and from which north it is counted.
package struct Heading: Hashable, Sendable {
    /// Degrees, clockwise, 0 to below 360.
    package let degrees: Double
    /// From where.
    package let north: North
    /// What it was turned by from the other north; nil where it is as it was read.
    package let variation: Variation?

    /// A heading of any degrees, brought into one turn; hostile ones too.
    package init(_ degrees: Double, _ north: North, _ variation: Variation?) {
        let rest = fmod(degrees, 360)
        let turned = rest < 0 ? rest + 360 : rest
        self.degrees = turned < 360 ? turned : 0
        self.north = north
        self.variation = variation
    }
}

/// Tells headings from the north that a person wants, as samples go by.
///
/// The variation is that of the data where it gave one within the last hour, else the model's at the
/// latest place and time. Where neither is known a heading keeps the north that it was read from, and
/// says so: the two are never taken for the same.
package struct Compass: Sendable {
    private static let dataMilliseconds: Int64 = 3_600_000
    /// The model is asked again after a twentieth of a degree, or a day: the variation hardly changes
    /// below.
    private static let modelCounts: Int64 = 500_000
    private static let modelMilliseconds: Int64 = 86_400_000

    private let north: North
    private var time: Int64?
    private var place: Coordinate?
    private var read: (degrees: Double, time: Int64?)?
    private var modelled: (degrees: Double?, place: Coordinate, time: Int64)?

    /// Tells headings from `north`.
    package init(_ north: North) {
        self.north = north
    }

    /// Goes on to a sample; its heading, nil where it has none.
    package mutating func add(_ sample: Sample) -> Heading? {
        time = sample.plausibleMilliseconds ?? time
        place = sample.coordinate.flatMap { $0.isZero ? nil : $0 } ?? place
        if let degrees = sample[.variation], abs(degrees) <= 180 { read = (degrees, time) }
        let (geographic, magnetic) = (sample[.headingTrue], sample[.headingMagnetic])
        switch north {
        case .geographic: return heading(geographic, else: magnetic, turned: 1, from: .magnetic)
        case .magnetic: return heading(magnetic, else: geographic, turned: -1, from: .geographic)
        }
    }

    /// The variation at the latest place and time; nil where nobody knows.
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
