internal import Glibc

/// A synthetic sailing track, reproducible from its seed, for the demo and the benchmarks.
///
/// A boat beats upwind and runs back, tack by tack, on a shallow lake. Speed, wind and turn rate
/// are Ornstein-Uhlenbeck processes. The receiver's error is a slow AR(1) process of 1.6 m and
/// white noise of 0.12 m, as in consumer receivers. There is one state a second.
package struct SyntheticSail: Sendable {
    /// The readings of the instruments at one second.
    struct State {
        var time: UnixTime
        var coordinate: Coordinate?
        var altitude: Double
        var speed: Double
        var course: Double
        var headingTrue: Double
        var heel: Double
        var pitch: Double
        var heartRate: Double
        var windSpeed: Double
        var windAngle: Double
        var apparentSpeed: Double
        var apparentAngle: Double
        var waterSpeed: Double
        var depth: Double
    }

    /// The states, one a second.
    let states: [State]

    /// The magnetic variation in degrees, east positive, constant.
    static let variation = 2.3

    package init(seed: UInt64, start: UnixTime, seconds: Int) {
        var boat = Boat(seed: seed)
        states = (0..<max(0, seconds)).map { second in
            let time = UnixTime(milliseconds: start.milliseconds &+ Int64(second) &* 1000)
            return boat.sail(second: second, at: time)
        }
    }

    /// One point a second, with every channel that the boat has.
    package var samples: [Sample] {
        states.map { state in
            var sample = Sample(time: state.time)
            sample.coordinate = state.coordinate
            sample[.altitude] = state.altitude
            sample[.speed] = state.speed
            sample[.course] = state.course
            sample[.headingMagnetic] = (state.headingTrue - Self.variation).turned
            sample[.heel] = state.heel
            sample[.pitch] = state.pitch
            sample[.heartRate] = state.heartRate
            sample[.depth] = state.depth
            sample[.windSpeedTrue] = state.windSpeed
            sample[.windAngleTrue] = state.windAngle
            sample[.windSpeedApparent] = state.apparentSpeed
            sample[.windAngleApparent] = state.apparentAngle
            sample[.waterSpeed] = state.waterSpeed
            return sample
        }
    }
}

/// The boat, the wind and the receiver, advanced second by second.
private struct Boat {
    private var random: SplitMix64
    private var north = 0.0
    private var east = 0.0
    private var errorNorth = 0.0
    private var errorEast = 0.0
    private var errorUp = 0.0
    private var speed = 3.2
    private var turnRate = 0.0
    private var heading: Double
    private var heel = 0.0
    private var pitch = 0.0
    private var heartRate = 95.0
    private var windSpeed = 7.0
    private var windFrom: Double
    private var depth = 4.5
    private var tack = 1.0
    private var secondsToTack = 0
    private let startLatitude: Double
    private let startLongitude: Double

    private static let metresPerDegree = 111_194.9

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
        windFrom = Double.random(in: 0..<360, using: &random)
        startLatitude = Double.random(in: 52.7..<52.95, using: &random)
        startLongitude = Double.random(in: 5.15..<5.45, using: &random)
        heading = windFrom + 45
    }

    /// Standard normal noise (Box and Muller).
    private mutating func noise() -> Double {
        let radius = (-2 * log(1 - Double.random(in: 0..<1, using: &random))).squareRoot()
        return radius * cos(2 * Double.pi * Double.random(in: 0..<1, using: &random))
    }

    mutating func sail(second: Int, at time: UnixTime) -> SyntheticSail.State {
        blow()
        steer(second)
        move()
        receive()
        let wind = (windFrom - heading).turned
        let apparent = apparentWind(angle: wind)
        return SyntheticSail.State(
            time: time,
            coordinate: place(),
            altitude: 1.5 + errorUp,
            speed: max(0, speed + 0.05 * noise()),
            course: (heading + 2 * noise()).turned,
            headingTrue: (heading + 1.2 * noise()).turned,
            heel: heel - tack * 12,
            pitch: pitch,
            heartRate: heartRate.rounded(),
            windSpeed: windSpeed,
            windAngle: wind,
            apparentSpeed: apparent.speed,
            apparentAngle: apparent.angle,
            waterSpeed: max(0, speed * 0.98 + 0.03 * noise()),
            depth: depth
        )
    }

    private mutating func blow() {
        windSpeed = max(0.5, windSpeed + 0.02 * (7 - windSpeed) + 0.15 * noise())
        windFrom += 0.15 * noise()
        depth = max(1.2, depth + 0.01 * (4.5 - depth) + 0.05 * noise())
    }

    /// Steers at 45 degrees to the wind for half an hour, then at 150 degrees for half an hour.
    private mutating func steer(_ second: Int) {
        if secondsToTack == 0 {
            tack = -tack
            secondsToTack = Int.random(in: 180...600, using: &random)
        }
        secondsToTack -= 1
        let angle = second / 1800 % 2 == 0 ? 45.0 : 150.0
        let error = (windFrom + tack * angle - heading + 180).turned - 180
        turnRate += 0.3 * (min(8, max(-8, 0.15 * error)) - turnRate) + 0.36 * noise()
        heading += turnRate
    }

    private mutating func move() {
        speed = max(0, speed + 0.05 * (3.2 - speed) + 0.2 * noise())
        let radians = heading * Double.pi / 180
        east += speed * sin(radians)
        north += speed * cos(radians)
        heel += -0.2 * heel + 5.4 * noise()
        pitch += -0.3 * pitch + 1.75 * noise()
        heartRate += 0.01 * (95 - heartRate) + 0.9 * noise()
        (heel, pitch) = (min(40, max(-40, heel)), min(20, max(-20, pitch)))
    }

    private mutating func receive() {
        errorNorth += -0.006 * errorNorth + 0.17 * noise()
        errorEast += -0.006 * errorEast + 0.17 * noise()
        errorUp += -0.01 * errorUp + 0.072 * noise()
    }

    private mutating func place() -> Coordinate? {
        let up = north + errorNorth + 0.12 * noise()
        let right = east + errorEast + 0.12 * noise()
        let degreesUp = startLatitude + up / Self.metresPerDegree
        let scale = Self.metresPerDegree * cos(startLatitude * Double.pi / 180)
        guard let latitude = Int64(exactly: (degreesUp * 1e7).rounded()),
            let longitude = Int64(exactly: ((startLongitude + right / scale) * 1e7).rounded())
        else { return nil }
        return Coordinate(latitude: latitude, longitude: longitude)
    }

    private func apparentWind(angle: Double) -> (speed: Double, angle: Double) {
        let radians = angle * Double.pi / 180
        let ahead = windSpeed * cos(radians) + speed
        let across = windSpeed * sin(radians)
        let degrees = atan2(across, ahead) * 180 / Double.pi
        return ((ahead * ahead + across * across).squareRoot(), degrees.turned)
    }
}
