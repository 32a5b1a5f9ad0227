internal import Glibc

/// A World Magnetic Model: the magnetic field at sea level in the five years after its epoch.
///
/// Evaluated as in Chulliat et al., "The US/UK World Magnetic Model for 2025-2030", section 1.2.
package struct MagneticModel: Sendable {
    /// The five years of the model, in Unix milliseconds.
    package let span: Range<Int64>
    /// The coefficients of degree n from 1 to 12, and of order m from 0 to n for each.
    let coefficients: [Coefficient]

    /// All models, from 2010 to the end of 2029.
    package static let all = [from2010, from2015, from2020, from2025]

    /// Returns the magnetic variation at a place, in degrees east of true north.
    ///
    /// Returns nil outside the years of all models. Also returns nil near the magnetic poles, where
    /// the horizontal field is below 2000 nT and compasses are useless.
    package static func variation(at place: Coordinate, _ time: UnixTime) -> Double? {
        all.first { $0.span.contains(time.milliseconds) }?.variation(at: place, time)
    }

    private func variation(at place: Coordinate, _ time: UnixTime) -> Double? {
        let years = Double(time.milliseconds - span.lowerBound) / Double(span.count) * 5
        let (north, east) = field(at: place, years: years)
        guard (north * north + east * east).squareRoot() >= Self.blackout else { return nil }
        return atan2(east, north) * 180 / .pi
    }

    /// The coefficients of one term in nT at the epoch, and their change in nT a year.
    typealias Coefficient = (g: Double, h: Double, gGrowth: Double, hGrowth: Double)

    private static let blackout = 2000.0
    private static let degree = 12
    /// The reference sphere of the model, in metres.
    private static let sphereRadius = 6_371_200.0

    /// A geocentric position, with the sine and cosine of its colatitude.
    private struct Geocentric {
        let radius: Double
        let sine: Double
        let cosine: Double
        /// Radians from the geodetic to the geocentric latitude.
        let tilt: Double

        init(_ latitude: Double) {
            let sine = sin(latitude)
            let flattening = 1 - Coordinate.eccentricitySquared * sine * sine
            let normal = Coordinate.equatorialRadiusMetres / flattening.squareRoot()
            // At a pole east is undefined; 1 mm beside it avoids a division by zero.
            let across = max(normal * cos(latitude), 1e-3)
            let up = normal * (1 - Coordinate.eccentricitySquared) * sine
            radius = (across * across + up * up).squareRoot()
            (self.sine, cosine) = (across / radius, up / radius)
            tilt = atan2(up, across) - latitude
        }
    }

    /// Returns the horizontal field in nT.
    private func field(at place: Coordinate, years: Double) -> (north: Double, east: Double) {
        let centre = Geocentric(Double(place.latitude) * (.pi / 1.8e9))
        let longitude = Double(place.longitude) * (.pi / 1.8e9)
        var (north, east, down) = (0.0, 0.0, 0.0)
        var sectoral = Term(value: 1, slope: 0)
        for order in 0...Self.degree {
            if order > 0 { sectoral = sectoral.diagonal(order, centre.sine, centre.cosine) }
            let (sine, cosine) = (sin(Double(order) * longitude), cos(Double(order) * longitude))
            var (before, term) = (Term(value: 0, slope: 0), sectoral)
            for degree in order...Self.degree {
                if degree > order {
                    let next = term.next(degree, order, before, centre.sine, centre.cosine)
                    (before, term) = (term, next)
                }
                guard degree > 0 else { continue }
                let coefficient = coefficients[degree * (degree + 1) / 2 + order - 1]
                let g = coefficient.g + years * coefficient.gGrowth
                let h = coefficient.h + years * coefficient.hGrowth
                let strength = pow(Self.sphereRadius / centre.radius, Double(degree + 2))
                let along = strength * (g * cosine + h * sine)
                north += along * term.slope
                down -= along * term.value * Double(degree + 1)
                east += strength * (g * sine - h * cosine) * Double(order) * term.value
            }
        }
        return (north * cos(centre.tilt) - down * sin(centre.tilt), east / centre.sine)
    }

    /// An associated Legendre function of the colatitude, Schmidt semi-normalized, and its
    /// derivative.
    private struct Term {
        let value: Double
        let slope: Double

        /// Advances from degree and order n - 1 to degree and order n.
        func diagonal(_ degree: Int, _ sine: Double, _ cosine: Double) -> Term {
            let factor = degree == 1 ? 1 : (1 - 0.5 / Double(degree)).squareRoot()
            return Term(
                value: factor * sine * value,
                slope: factor * (sine * slope + cosine * value)
            )
        }

        /// Advances to `degree` from the two degrees before, at the same order.
        func next(
            _ degree: Int,
            _ order: Int,
            _ before: Term,
            _ sine: Double,
            _ cosine: Double
        ) -> Term {
            let (n, m) = (Double(degree), Double(order))
            let norm = (n * n - m * m).squareRoot()
            let last = max(0, (n - 1) * (n - 1) - m * m).squareRoot()
            return Term(
                value: ((2 * n - 1) * cosine * value - last * before.value) / norm,
                slope: ((2 * n - 1) * (cosine * slope - sine * value) - last * before.slope) / norm
            )
        }
    }
}
