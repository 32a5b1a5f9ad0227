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
        /// The fix, or nil if it is flagged.
        let believed: FixFilter.Fix?
    }

    private var filter: FixFilter
    /// The last believed fix so far.
    private(set) var last: FixFilter.Fix?

    init(_ rule: FixRule) { filter = FixFilter(rule) }

    mutating func add(_ sample: Sample) { filter.add(sample) }

    mutating func add(_ fix: FixFilter.Fix, accuracy: Int64?) {
        filter.add(fix, accuracy: accuracy)
    }

    mutating func end() { filter.end() }

    /// Returns the next step, or nil until more fixes are added.
    mutating func next() -> Step? {
        guard let judged = filter.next() else { return nil }
        var (metres, speed) = (0.0, judged.flag == nil ? 0.0 : .infinity)
        if let fix = judged.believed {
            if let last, last.segment == fix.segment {
                metres = fix.metres(from: last)
                speed = fix.speed(over: metres, from: last)
            }
            last = fix
        }
        return Step(
            index: judged.index,
            metres: metres,
            speed: speed,
            time: judged.time,
            believed: judged.believed
        )
    }
}
