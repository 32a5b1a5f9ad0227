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

    mutating func end() { filter.end() }

    /// Returns the next step, or nil until more fixes are added.
    mutating func next() -> Step? {
        guard let judged = filter.next() else { return nil }
        guard let fix = judged.believed
        else { return Step(index: judged.index, metres: 0, speed: .infinity, time: judged.time) }
        defer { last = fix }
        guard let last, last.segment == fix.segment
        else { return Step(index: judged.index, metres: 0, speed: 0, time: judged.time) }
        let metres = last.place.metres(to: fix.place)
        return Step(
            index: judged.index,
            metres: Self.isWay(metres, from: last.time, to: fix.time) ? metres : 0,
            speed: fix.speed(over: metres, from: last),
            time: judged.time
        )
    }

    /// Whether a step between two fixes counts as distance.
    ///
    /// A fix that is earlier and elsewhere begins another run. Logs that were joined into one file
    /// lack segments there.
    static func isWay(_ metres: Double, from start: Int64?, to end: Int64?) -> Bool {
        guard let start, let end, end < start else { return true }
        return metres <= clockSetMetres
    }

    /// The greatest distance while a clock is set back.
    private static let clockSetMetres = 100.0
}
