internal import CGeodesic

/// The geodesic (shortest path) between two positions on WGS 84.
///
/// Karney, "Algorithms for geodesics" (2013), as implemented by GeographicLib: accurate to 15 nm,
/// also between nearly antipodal positions.
package struct Geodesic: Hashable, Sendable {
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
        initialBearing = way.initial_bearing.turned
        finalBearing = way.final_bearing.turned
    }
}

extension Double {
    /// The angle in degrees as 0..<360; one just below 0 can round to 360, thus 0.
    var turned: Double {
        let rest = truncatingRemainder(dividingBy: 360)
        let turned = rest < 0 ? rest + 360 : rest
        return turned < 360 ? turned : 0
    }
}
