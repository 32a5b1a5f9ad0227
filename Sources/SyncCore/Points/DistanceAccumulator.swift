/// Adds up the distance along consecutive chunks from their summaries.
///
/// Filters only the points at the ends of each chunk again, together with those of its neighbours.
package struct DistanceAccumulator: Sendable {
    package private(set) var metres = 0.0
    private let rule: FixRule
    /// The last points so far.
    private var tail: ArraySlice<Sample> = []

    package init(_ rule: FixRule) { self.rule = rule }

    /// Adds a chunk, where `ends` are its first and last points (``ChunkSummary``).
    ///
    /// - Parameter meeting: Returns the result of its argument, or that result from a cache: the
    ///   metres that filtering both sides of the boundary together adds to their sum.
    package mutating func add(
        metres: Double,
        ends: [Sample],
        meeting: (() -> Double) -> Double = { $0() }
    ) {
        let head = ends.prefix(ChunkSummary.reach)
        self.metres += metres + meeting { through(tail + head) - through(tail) - through(head) }
        let isWhole = ends.count < 2 * ChunkSummary.reach
        tail = (isWhole ? tail + ends : ends[...]).suffix(ChunkSummary.reach)
    }

    /// Ends a segment: the distance to the next chunk does not count.
    package mutating func breakOff() { tail = [] }

    private func through(_ samples: ArraySlice<Sample>) -> Double {
        guard samples.count > 1 else { return 0 }
        var distance = Distance(rule)
        for sample in samples { distance.add(sample) }
        return distance.metres
    }
}
