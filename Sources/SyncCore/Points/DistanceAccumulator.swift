/// The way through chunks in order, from what is kept of each.
///
/// Of a chunk that was summed up by itself only its ends are judged again, beside those of its
/// neighbours.
package struct DistanceAccumulator: Sendable {
    /// Metres so far.
    package private(set) var metres = 0.0
    private let rule: FixRule
    /// The last points so far.
    private var tail: ArraySlice<Sample> = []

    /// Nothing yet.
    package init(_ rule: FixRule) {
        self.rule = rule
    }

    /// Goes on through a chunk, of which `ends` are the first and last points (``ChunkSummary``).
    ///
    /// - Parameter meeting: tells what its argument does, what the way is longer by where this chunk and
    ///   the last one meet; it may know that from before.
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

    /// Ends a segment: what comes next is not reached from here.
    package mutating func breakOff() {
        tail = []
    }

    private func through(_ samples: ArraySlice<Sample>) -> Double {
        guard samples.count > 1 else { return 0 }
        var distance = Distance(rule)
        for sample in samples { distance.add(sample) }
        return distance.metres
    }
}
