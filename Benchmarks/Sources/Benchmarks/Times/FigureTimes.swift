internal import SyncCore

/// All that is counted of a large track, beside its distance alone.
enum FigureTimes {
    private static let pointCount = 100_000
    private static let rounds = 5

    /// Measures all of it.
    static func times() throws -> [Time] {
        let samples = Sails.samples(seed: 1, count: pointCount, channels: Sails.nine)
        var (whole, floor): ([Double], [Double]) = ([], [])
        for _ in 0..<rounds {
            floor.append(try rate(distance, of: samples))
            whole.append(try rate(figures, of: samples))
        }
        return [
            Time(
                name: "points of which all figures are counted",
                value: Stopwatch.median(whole),
                unit: "a second",
                floor: ("the distance alone", Stopwatch.median(floor))
            )
        ]
    }

    /// Points a second of a count that gives the metres.
    private static func rate(_ count: ([Sample]) -> Double, of samples: [Sample]) throws -> Double {
        var metres = 0.0
        let duration = ContinuousClock().measure { metres = count(samples) }
        guard metres > 0 else { throw DeviceError.different("metres") }
        return Double(samples.count) / (duration / .seconds(1))
    }

    private static func distance(of samples: [Sample]) -> Double {
        var distance = Distance(.usual)
        for sample in samples { distance.add(sample) }
        return distance.metres
    }

    private static func figures(of samples: [Sample]) -> Double {
        var figures = TrackFigures(.usual, sport: .sail, zones: [95, 114, 133, 152, 171])
        var believed = BelievedSamples(.usual)
        for sample in samples {
            believed.add(sample)
            while let next = believed.next() { figures.add(next) }
        }
        believed.end()
        while let next = believed.next() { figures.add(next) }
        // What is looked for along the way, when it is shown.
        _ = figures.bestEfforts
        _ = figures.path.splits(every: Split.Unit.kilometre.metres)
        _ = figures.climb.metres
        return figures.totals.metres
    }
}
