/// Lets samples through in their order, but for fixes that are flagged.
///
/// A sample comes out once the fixes before it and its own are judged, some fixes later.
package struct BelievedSamples: Sendable {
    private var filter: FixFilter
    /// Those that were not let through yet, and before them some that were.
    private var waiting: [Sample] = []
    private var head = 0
    /// Fixes that came, and that left `waiting`.
    private var arrivals = 0
    private var departures = 0
    /// All fixes before this one have a verdict.
    private var judged = 0
    private var flagged: Set<Int> = []
    /// How many fixes were flagged, by what is wrong with them.
    package private(set) var flagCounts: [FixFlag: Int] = [:]

    /// None yet.
    package init(_ rule: FixRule) {
        filter = FixFilter(rule)
    }

    /// Goes on to a sample; ``next()`` gives what can be told then.
    package mutating func add(_ sample: Sample) {
        filter.add(sample)
        waiting.append(sample)
        if sample.isPoint { arrivals += 1 }
        takeVerdicts()
    }

    /// Nothing comes any more.
    package mutating func end() {
        filter.end()
        takeVerdicts()
        judged = arrivals
    }

    /// The next sample; nil until more came.
    package mutating func next() -> Sample? {
        while head < waiting.count {
            let sample = waiting[head]
            guard sample.isPoint else {
                leave()
                return sample
            }
            let isFlagged = flagged.contains(departures)
            guard isFlagged || departures < judged else { return nil }
            if isFlagged { flagged.remove(departures) }
            departures += 1
            leave()
            if !isFlagged { return sample }
        }
        return nil
    }

    private mutating func leave() {
        head += 1
        // Not at each sample: moving them all would cost more than the rest here.
        guard head == waiting.count || head == 512 else { return }
        waiting.removeFirst(head)
        head = 0
    }

    /// Fixes that are wrong by themselves are told at once, the others in their order.
    private mutating func takeVerdicts() {
        while let verdict = filter.next() {
            if let flag = verdict.flag { flagCounts[flag, default: 0] += 1 }
            switch verdict.flag {
            case .zero, .inaccurate, .repeated: flagged.insert(verdict.index)
            case .untimely, .jump:
                flagged.insert(verdict.index)
                judged = verdict.index + 1
            case nil: judged = verdict.index + 1
            }
        }
    }
}
