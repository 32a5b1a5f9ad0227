@testable import SyncCore

/// Makes samples of a way due north from 0° N 10° E, for tables of figures.
struct Walk {
    /// 2026-05-01T00:00:00Z.
    static let start: Int64 = 1_777_593_600_000

    private(set) var samples: [Sample] = []
    private var metres = 0.0
    private var seconds = 0.0
    private var segment: Int64 = 0

    /// At the start, at the time 0.
    init() {
        add()
    }

    /// Goes on at a speed in metres a second for some seconds, a fix every `step` of them.
    mutating func go(_ speed: Double, for duration: Double, step: Double = 1) {
        for _ in 0..<Int(duration / step) {
            seconds += step
            metres += speed * step
            add()
        }
    }

    /// Pauses, and begins the next segment where one is.
    mutating func pause(_ duration: Double) {
        seconds += duration
        segment += 1
        add()
    }

    /// Turns the clock by some seconds, from the next fix on.
    mutating func turnClock(_ duration: Double) {
        seconds += duration
    }

    private mutating func add() {
        let time = Self.start + Int64((seconds * 1000).rounded())
        var sample = Sample(time: UnixTime(milliseconds: time))
        sample[count: .segment] = segment == 0 ? nil : segment
        // Counts are 1.1 cm here, and what the places are rounded by does not add up.
        sample[.latitude] = metres / Self.degreeMetres
        sample[.longitude] = 10
        samples.append(sample)
    }

    /// Of latitude at the equator (GeographicLib: 0 to 0.05° is 5528.71380517258 m).
    private static let degreeMetres = 5528.71380517258 / 0.05

    /// The figures of the samples.
    func figures(
        sport: SportKind = .other,
        zones: [Int64] = [95, 114, 133, 152, 171]
    ) -> TrackFigures {
        Self.figures(samples, sport: sport, zones: zones)
    }

    /// The figures of any samples.
    static func figures(
        _ samples: [Sample],
        _ rule: FixRule = .usual,
        sport: SportKind = .other,
        zones: [Int64] = [95, 114, 133, 152, 171]
    ) -> TrackFigures {
        var figures = TrackFigures(rule, sport: sport, zones: zones)
        for sample in BelievedSamples.all(of: samples, rule) { figures.add(sample) }
        return figures
    }

    /// Samples at seconds from the start, each with a reading.
    static func readings(
        _ channel: Channel,
        _ readings: [(seconds: Double, value: Double)],
        segment: Int64? = nil
    ) -> [Sample] {
        readings.map { reading in
            let time = start + Int64((reading.seconds * 1000).rounded())
            var sample = Sample(time: UnixTime(milliseconds: time))
            sample[count: .segment] = segment
            sample[channel] = reading.value
            return sample
        }
    }
}

extension BelievedSamples {
    /// Those of some samples that are believed.
    static func all(of samples: [Sample], _ rule: FixRule) -> [Sample] {
        var filter = BelievedSamples(rule)
        var believed: [Sample] = []
        for sample in samples {
            filter.add(sample)
            while let next = filter.next() { believed.append(next) }
        }
        filter.end()
        while let next = filter.next() { believed.append(next) }
        return believed
    }
}
