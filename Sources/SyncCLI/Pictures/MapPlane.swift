internal import Glibc

/// A local map projection in metres: equirectangular, true to scale at the middle latitude.
struct MapPlane: Sendable {
    /// A position in degrees north and east, WGS 84.
    struct Position: Hashable, Sendable {
        let latitude: Double
        let longitude: Double
    }

    /// A projected position: metres east of the zero meridian and north of the equator.
    struct Point: Hashable, Sendable {
        let east: Double
        let north: Double
    }

    private static let metresPerDegree = 111_195.0

    /// Polylines, projected lazily.
    typealias Lines = LazyMapSequence<[[Position]], LazyMapSequence<[Position], Point>>

    /// The polylines with at least one finite position.
    private let places: [[Position]]
    /// The bounds of all points in metres.
    private(set) var east: ClosedRange<Double>
    private(set) var north: ClosedRange<Double>
    /// The length of a degree of longitude relative to a degree of latitude.
    private let shrink: Double
    /// Whether western longitudes continue past 180 degrees.
    private let wraps: Bool

    /// Projects polylines, or returns nil if they contain no finite position.
    ///
    /// A track across the antimeridian stays in one piece.
    init?(_ lines: [[Position]]) {
        places = lines.map { $0.allSatisfy(\.isFinite) ? $0 : $0.filter(\.isFinite) }
            .filter { !$0.isEmpty }
        guard let latitudes = ClosedRange(of: places.joined().lazy.map(\.latitude)),
            let longitudes = ClosedRange(of: places.joined().lazy.map(\.longitude))
        else { return nil }
        wraps = longitudes.length > 180
        let middle = (latitudes.lowerBound + latitudes.upperBound) / 2
        shrink = max(cos(middle * .pi / 180), 0.01)
        (east, north) = (0...0, 0...0)
        let points = places.lazy.joined().map(point)
        east = ClosedRange(of: points.map(\.east)) ?? east
        north = ClosedRange(of: points.map(\.north)) ?? north
    }

    /// The projected polylines, without empty ones.
    var lines: Lines { places.lazy.map { $0.lazy.map(point) } }

    func point(_ place: Position) -> Point {
        let turn = wraps && place.longitude < 0 ? 360.0 : 0
        return Point(
            east: (place.longitude + turn) * metresPerLongitude,
            north: place.latitude * Self.metresPerDegree
        )
    }

    /// The length of a degree of longitude.
    var metresPerLongitude: Double { shrink * Self.metresPerDegree }
    /// The length of a degree of latitude.
    var metresPerLatitude: Double { Self.metresPerDegree }
}

extension MapPlane.Position {
    fileprivate var isFinite: Bool { latitude.isFinite && longitude.isFinite }
}

extension ClosedRange<Double> {
    /// Creates the smallest range with these values, or returns nil if there are none.
    init?(of values: some Sequence<Double>) {
        var values = values.makeIterator()
        guard let first = values.next() else { return nil }
        self = first...first
        while let value = values.next() { take(value) }
    }

    var length: Double { upperBound - lowerBound }

    /// Extends the range to include a value.
    mutating func take(_ value: Double) {
        self = Swift.min(lowerBound, value)...Swift.max(upperBound, value)
    }
}
