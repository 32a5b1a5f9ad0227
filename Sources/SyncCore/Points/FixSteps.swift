/// The way from each fix that is believed to the next, as their verdicts come.
///
/// Samples without a position are passed over, fixes that are flagged are left out, and there is no
/// way from one segment to the next: a pause is not sailed.
struct FixSteps: Sendable {
    /// How far it is to a fix from the last that was believed.
    struct Step {
        /// Counted from 0, of the fixes that were added.
        let index: Int
        /// 0 to a fix that is flagged, and to the first of a segment.
        let metres: Double
        /// In metres a second; infinite where the fix is flagged, or its time is before the last's.
        let speed: Double
        /// When the fix was, in Unix milliseconds; nil where it has no time to go by.
        let time: Int64?
    }

    private var filter: FixFilter
    private var last: FixFilter.Fix?

    /// No fix yet.
    init(_ rule: FixRule) {
        filter = FixFilter(rule)
    }

    /// Goes on to a sample.
    mutating func add(_ sample: Sample) {
        filter.add(sample)
    }

    /// Nothing comes any more.
    mutating func end() {
        filter.end()
    }

    /// The next step; nil until more fixes came.
    mutating func next() -> Step? {
        guard let judged = filter.next() else { return nil }
        guard let fix = judged.believed else {
            return Step(index: judged.index, metres: 0, speed: .infinity, time: judged.time)
        }
        defer { last = fix }
        guard let last, last.segment == fix.segment else {
            return Step(index: judged.index, metres: 0, speed: 0, time: judged.time)
        }
        let metres = last.place.metres(to: fix.place)
        return Step(
            index: judged.index,
            metres: Self.isWay(metres, from: last.time, to: fix.time) ? metres : 0,
            speed: fix.speed(over: metres, from: last),
            time: judged.time
        )
    }

    /// Whether one went from a fix to the next: back in time and elsewhere another run begins, as in a log
    /// that was put together of several, though no segment says so.
    static func isWay(_ metres: Double, from start: Int64?, to end: Int64?) -> Bool {
        guard let start, let end, end < start else { return true }
        return metres <= clockSetMetres
    }

    /// So far one may come while a clock is set back.
    private static let clockSetMetres = 100.0
}
