internal import CGeodesic

/// The shortest way between two places on WGS 84.
///
/// Karney, "Algorithms for geodesics" (2013), as GeographicLib has it: right within 15 nm, for
/// places that are nearly antipodal too.
package struct Geodesic: Hashable, Sendable {
    /// How long it is.
    package let metres: Double
    /// Where it sets out: degrees from true north, clockwise, 0 to below 360.
    package let initialBearing: Double
    /// Where it points as it arrives, in the same degrees.
    package let finalBearing: Double

    /// The way from one place to another.
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

    /// From -180 to 180 degrees to 0 to below 360; a hair west of north rounds to north.
    private static func bearing(_ degrees: Double) -> Double {
        let turned = degrees < 0 ? degrees + 360 : degrees
        return turned < 360 ? turned : 0
    }
}
