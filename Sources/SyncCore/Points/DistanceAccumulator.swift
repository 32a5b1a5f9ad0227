/// Adds up the distance along consecutive chunks from their summaries.
///
/// Filters only the points at the ends of each chunk again, together with those of its neighbours.
package struct DistanceAccumulator: Sendable {
    package private(set) var metres = 0.0
    private let rule: FixRule
    /// The last points so far.
    private var tail = Samples()

    package init(_ rule: FixRule) { self.rule = rule }

    /// Adds a chunk, where `ends` are its first and last points (``Samples/ends``).
    ///
    /// - Parameter meeting: Returns the result of its argument, or that result from a cache: the
    ///   metres that filtering both sides of the boundary together adds to their sum.
    package mutating func add(
        metres: Double,
        ends: Samples,
        meeting: (() -> Double) -> Double = { $0() }
    ) {
        let head = ends.prefix(Samples.filterReach)
        self.metres +=
            metres + meeting { through(tail.joined(head)) - through(tail) - through(head) }
        let isWhole = ends.count < 2 * Samples.filterReach
        tail = (isWhole ? tail.joined(ends) : ends).suffix(Samples.filterReach)
    }

    /// Adds a chunk that is missing, as its reference summarizes it.
    ///
    /// The distance to its neighbours is that between the stated fixes, which are filtered like any
    /// others.
    package mutating func add(missing chunk: ChunkSummary.Filtered) {
        metres += chunk.metres
        guard let ends = chunk.ends else { return }
        metres += through(tail.joined([Sample(ends.first)])) - through(tail)
        tail = [Sample(ends.last)]
    }

    /// Ends a segment: the distance to the next chunk does not count.
    package mutating func breakOff() { tail = Samples() }

    private func through(_ samples: Samples) -> Double {
        guard samples.count > 1 else { return 0 }
        var distance = Distance(rule)
        for sample in samples { distance.add(sample) }
        return distance.metres
    }
}

extension Sample {
    fileprivate init(_ fix: FixFilter.Fix) {
        self.init(at: fix.place)
        self[count: .time] = fix.time
        self[count: .segment] = fix.segment
    }
}

extension Samples {
    /// Returns these samples followed by others.
    fileprivate func joined(_ others: Samples) -> Samples {
        var all = self
        all.append(contentsOf: others)
        return all
    }
}
