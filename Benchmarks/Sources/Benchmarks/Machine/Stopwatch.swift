/// The median time of some runs.
enum Stopwatch {
    /// Seconds that `body` takes, once.
    static func seconds(_ body: () async throws -> Void) async rethrows -> Double {
        let start = ContinuousClock.now
        try await body()
        return (ContinuousClock.now - start) / .seconds(1)
    }

    /// The middle of several figures.
    static func median(_ figures: [Double]) -> Double {
        figures.sorted()[figures.count / 2]
    }
}
