/// Passes samples through in order, without flagged fixes.
///
/// A sample comes out some fixes later, once it and the fixes before it have verdicts.
package struct BelievedSamples: Sendable {
    private var filter: FixFilter
    /// The samples that have not come out yet, after up to 512 that have.
    private var waiting: [Sample] = []
    private var head = 0
    /// The numbers of fixes that were added, and that left `waiting`.
    private var arrivals = 0
    private var departures = 0
    /// All fixes before this index have a verdict.
    private var judged = 0
    private var flagged: Set<Int> = []
    /// The number of flagged fixes by reason.
    package private(set) var flagCounts: [FixFlag: Int] = [:]

    package init(_ rule: FixRule) { filter = FixFilter(rule) }

    /// Adds a sample; ``next()`` returns the samples that are settled by it.
    package mutating func add(_ sample: Sample) {
        filter.add(sample)
        waiting.append(sample)
        if sample.isPoint { arrivals += 1 }
        takeVerdicts()
    }

    /// Ends the input: all fixes get their verdicts.
    package mutating func end() {
        filter.end()
        takeVerdicts()
        judged = arrivals
    }

    /// Returns the next sample, or nil until more are added.
    package mutating func next() -> Sample? {
        while head < waiting.count {
            let sample = waiting[head]
            guard sample.isPoint else {
                leave()
                return sample
            }
            let isFlagged = flagged.remove(departures) != nil
            guard isFlagged || departures < judged else { return nil }
            departures += 1
            leave()
            if !isFlagged { return sample }
        }
        return nil
    }

    private mutating func leave() {
        head += 1
        // Not for each sample: shifting the array would cost more than everything else here.
        guard head == waiting.count || head == 512 else { return }
        waiting.removeFirst(head)
        head = 0
    }

    /// Flags that need no neighbours arrive early; the other verdicts arrive in order.
    private mutating func takeVerdicts() {
        while let verdict = filter.next() {
            if let flag = verdict.flag {
                flagCounts[flag, default: 0] += 1
                flagged.insert(verdict.index)
                guard flag == .untimely || flag == .jump else { continue }
            }
            judged = verdict.index + 1
        }
    }
}
