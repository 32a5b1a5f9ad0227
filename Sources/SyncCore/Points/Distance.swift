internal import Glibc

extension Coordinate {
    /// Metres to another place on WGS 84, right within 1 mm.
    ///
    /// The shorter way round, across the antimeridian too. From fix to fix that is a plane triangle,
    /// which takes a twentieth of the time of a ``Geodesic``; far from the poles both agree within
    /// 0.2 mm as far as a kilometre, and the triangle's error grows with the cube of the way.
    package func metres(to other: Coordinate) -> Double {
        guard abs(Int64(latitude) + Int64(other.latitude)) <= 2 * Self.planeLatitude else {
            return Geodesic(from: self, to: other).metres
        }
        let metres = planeMetres(to: other)
        return metres <= Self.planeMetres ? metres : Geodesic(from: self, to: other).metres
    }

    /// What ``metres(to:)`` is no more than, at a fraction of the time: north and then east, by the
    /// longest degrees of either.
    func metresAtMost(to other: Coordinate) -> Double {
        let north = abs(Int64(other.latitude) - Int64(latitude))
        let east = abs(Int64(other.longitude) - Int64(longitude))
        return Double(north + east) * Self.longestStep
    }

    /// Metres of 1e-7 degrees of latitude at a pole, rounded up.
    private static let longestStep = 0.011_17

    /// How far the triangle is believed, and how far north and south, in 1e-7 degrees.
    private static let planeMetres = 1000.0
    private static let planeLatitude: Int64 = 840_000_000

    /// A plane triangle with the radii of curvature at the middle latitude.
    private func planeMetres(to other: Coordinate) -> Double {
        let north = radians(Int64(other.latitude) - Int64(latitude))
        let east = radians(Self.wrapped(Int64(other.longitude) - Int64(longitude)))
        let middle = radians(Int64(other.latitude) + Int64(latitude)) / 2
        let sine = sin(middle)
        let flattening = 1 - Self.eccentricitySquared * sine * sine
        let primeVertical = Self.equatorialRadiusMetres / flattening.squareRoot()
        let meridional = primeVertical * (1 - Self.eccentricitySquared) / flattening
        let (y, x) = (meridional * north, primeVertical * east)
        // The square of the cosine is at hand without another series.
        return (x * x * (1 - sine * sine) + y * y).squareRoot()
    }

    /// WGS 84 (NGA.STND.0036), semi-major axis.
    private static let equatorialRadiusMetres = 6_378_137.0
    /// WGS 84, first eccentricity squared.
    private static let eccentricitySquared = 6.694379990141316e-3

    /// A difference of longitudes, the short way round.
    private static func wrapped(_ difference: Int64) -> Int64 {
        switch difference {
        case ..<(-1_800_000_000): difference + 3_600_000_000
        case 1_800_000_001...: difference - 3_600_000_000
        default: difference
        }
    }

    private func radians(_ count: Int64) -> Double {
        Double(count) * (Double.pi / 1.8e9)
    }
}

/// Adds up the way through samples in order, by ``FixSteps``.
package struct Distance: Sendable {
    private var steps: FixSteps
    private var judgedMetres = 0.0
    /// The greatest speed from fix to fix in metres a second; infinite where one was flagged, or the
    /// times go back.
    package private(set) var greatestSpeed = 0.0
    /// From the earliest to the latest time of a fix that can be gone by; nil without any.
    package private(set) var times: ClosedRange<Int64>?

    /// Nothing yet.
    package init(_ rule: FixRule) {
        steps = FixSteps(rule)
    }

    /// Goes on to a sample.
    package mutating func add(_ sample: Sample) {
        steps.add(sample)
        takeJudged()
    }

    /// Nothing comes any more.
    package mutating func end() {
        steps.end()
        takeJudged()
    }

    /// Metres so far, as if nothing came after.
    package var metres: Double {
        var ended = self
        ended.end()
        return ended.judgedMetres
    }

    private mutating func takeJudged() {
        while let step = steps.next() {
            judgedMetres += step.metres
            greatestSpeed = max(greatestSpeed, step.speed)
            guard let time = step.time else { continue }
            times = min(times?.lowerBound ?? time, time)...max(times?.upperBound ?? time, time)
        }
    }
}
