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

    /// The lines, those without a place left out.
    private(set) var lines: [[Point]] = []
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
        let lines = lines.map { line in
            line.filter { $0.latitude.isFinite && $0.longitude.isFinite }
        }
        guard let first = lines.first(where: { !$0.isEmpty })?.first else { return nil }
        var latitudes = first.latitude...first.latitude
        var longitudes = first.longitude...first.longitude
        for place in lines.joined() {
            latitudes.take(place.latitude)
            longitudes.take(place.longitude)
        }
        wraps = longitudes.length > 180
        let middle = (latitudes.lowerBound + latitudes.upperBound) / 2
        shrink = max(cos(middle * .pi / 180), 0.01)
        (east, north) = (0...0, 0...0)
        let start = point(first)
        (east, north) = (start.east...start.east, start.north...start.north)
        for line in lines where !line.isEmpty {
            self.lines.append(line.map(point))
        }
        for point in self.lines.joined() {
            east.take(point.east)
            north.take(point.north)
        }
    }

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

extension ClosedRange<Double> {
    /// How far the ends are apart.
    var length: Double { upperBound - lowerBound }

    /// Reaches out to a value.
    mutating func take(_ value: Double) {
        self = Swift.min(lowerBound, value)...Swift.max(upperBound, value)
    }
}
