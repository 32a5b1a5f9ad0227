internal import Glibc

/// Lines of places on a plane around them, in metres: equirectangular, true in both directions at
/// the middle latitude.
struct MapPlane: Sendable {
    /// Degrees north and east, WGS 84.
    struct Position: Hashable, Sendable {
        let latitude: Double
        let longitude: Double
    }

    /// Metres east and north of any origin.
    struct Point: Hashable, Sendable {
        let east: Double
        let north: Double
    }

    private static let metresPerDegree = 111_195.0

    /// Lines of places as they are spread out, one by one as they are asked for.
    typealias Lines = LazyMapSequence<[[Position]], LazyMapSequence<[Position], Point>>

    /// Lines with places.
    private let places: [[Position]]
    /// The least and the greatest metres of all points.
    private(set) var east: ClosedRange<Double>
    private(set) var north: ClosedRange<Double>
    /// How much shorter a degree of longitude is than one of latitude.
    private let shrink: Double
    /// Whether western longitudes are counted on from 180 degrees.
    private let wraps: Bool

    /// Spreads lines out; nil without any place.
    ///
    /// A track over the antimeridian is not torn apart.
    init?(_ lines: [[Position]]) {
        places = lines.map { $0.allSatisfy(\.isFinite) ? $0 : $0.filter(\.isFinite) }
            .filter { !$0.isEmpty }
        guard let first = places.first?.first else { return nil }
        var latitudes = first.latitude...first.latitude
        var longitudes = first.longitude...first.longitude
        for place in places.joined() {
            latitudes.take(place.latitude)
            longitudes.take(place.longitude)
        }
        wraps = longitudes.length > 180
        let middle = (latitudes.lowerBound + latitudes.upperBound) / 2
        shrink = max(cos(middle * .pi / 180), 0.01)
        (east, north) = (0...0, 0...0)
        let start = point(first)
        (east, north) = (start.east...start.east, start.north...start.north)
        for point in places.lazy.joined().map(point) {
            east.take(point.east)
            north.take(point.north)
        }
    }

    /// The lines, those without a place left out.
    var lines: Lines { places.lazy.map { $0.lazy.map(point) } }

    /// Where a place lies.
    func point(_ place: Position) -> Point {
        let turn = wraps && place.longitude < 0 ? 360.0 : 0
        return Point(
            east: (place.longitude + turn) * metresPerLongitude,
            north: place.latitude * Self.metresPerDegree
        )
    }

    /// Metres to a degree of longitude.
    var metresPerLongitude: Double { shrink * Self.metresPerDegree }
    /// Metres to a degree of latitude.
    var metresPerLatitude: Double { Self.metresPerDegree }
}

extension MapPlane.Position {
    fileprivate var isFinite: Bool { latitude.isFinite && longitude.isFinite }
}

extension ClosedRange<Double> {
    /// How far the ends are apart.
    var length: Double { upperBound - lowerBound }

    /// Reaches out to a value.
    mutating func take(_ value: Double) {
        self = Swift.min(lowerBound, value)...Swift.max(upperBound, value)
    }
}
