internal import CGeodesic

/// The geodesic (shortest path) between two positions on WGS 84.
///
/// Karney, "Algorithms for geodesics" (2013), as implemented by GeographicLib: accurate to 15 nm,
/// also between nearly antipodal positions.
package struct Geodesic: Hashable, Sendable {
    /// The length in metres.
    package let metres: Double
    /// The azimuth at the start: degrees from true north, clockwise, 0 to below 360.
    package let initialBearing: Double
    /// The azimuth at the end, in the same degrees.
    package let finalBearing: Double

    /// Solves the inverse problem for two positions.
    package init(from start: Coordinate, to end: Coordinate) {
        let way = cgeodesic_inverse(
            Double(start.latitude) / 1e7,
            Double(start.longitude) / 1e7,
            Double(end.latitude) / 1e7,
            Double(end.longitude) / 1e7
        )
        metres = way.metres
        initialBearing = Self.bearing(way.initial_bearing)
        finalBearing = Self.bearing(way.final_bearing)
    }

    /// Maps -180…180 degrees to 0..<360; an angle just west of north can round to 360, thus 0.
    private static func bearing(_ degrees: Double) -> Double {
        let turned = degrees < 0 ? degrees + 360 : degrees
        return turned < 360 ? turned : 0
    }
}
