/// The steps from each believed fix to the next.
///
/// Samples without a position and flagged fixes are skipped. The way between two segments does not
/// count, because the recorder was paused.
struct FixSteps: Sendable {
    /// The step to a fix from the last believed one.
    struct Step {
        /// The fix's number, from 0 in the order of the added fixes.
        let index: Int
        /// 0 if the fix is flagged or the first of a segment.
        let metres: Double
        /// In metres a second; infinite if the fix is flagged, or earlier than the last.
        let speed: Double
        /// The fix's trusted time, or nil if it has none.
        let time: UnixTime?
    }

    private var filter: FixFilter
    private var last: FixFilter.Fix?

    init(_ rule: FixRule) { filter = FixFilter(rule) }

    mutating func add(_ sample: Sample) { filter.add(sample) }

    mutating func add(_ fix: FixFilter.Fix, accuracy: Int64?) {
        filter.add(fix, accuracy: accuracy)
    }

    mutating func end() { filter.end() }

    /// Returns the next step, or nil until more fixes are added.
    mutating func next() -> Step? {
        guard let judged = filter.next() else { return nil }
        guard let fix = judged.believed
        else { return Step(index: judged.index, metres: 0, speed: .infinity, time: judged.time) }
        defer { last = fix }
        guard let last, last.segment == fix.segment
        else { return Step(index: judged.index, metres: 0, speed: 0, time: judged.time) }
        let metres = fix.metres(from: last)
        return Step(
            index: judged.index,
            metres: metres,
            speed: fix.speed(over: metres, from: last),
            time: judged.time
        )
    }
}
