/// Some fixes at a place where nobody can have been: a leap there, and one back.
///
/// The fixes there agree with each other, those before and after with theirs; and the way goes on
/// near where it was left, within half the shorter leap. That is wrong where both leaps
///
/// - are thrice as fast as the sport can be, for up to ``reach`` fixes and two minutes; or
/// - are faster than ``FixRule/unseenSpeedLimit`` and come out of a silence and lead into one, four
///   times as long as the steps before and after, for up to 5 fixes and ten minutes. A receiver that
///   tells a few fixes while it has lost the sky is wrong more often than somebody drove there and
///   back unseen. Who drove was seen on the way, and a recorder with a fix a minute has no silences.
struct Outlier {
    /// The most fixes of one.
    static let reach = 30
    /// So long may one last that lies in a silence.
    private static let silentSeconds = 600.0

    /// The one before ``left``, of its segment.
    let previous: FixFilter.Fix
    /// The last that was believed.
    let left: FixFilter.Fix
    let rule: FixRule

    /// How many of the fixes that follow ``left`` are one, 0 for none; nil while they are too few to
    /// tell.
    ///
    /// They are of its segment, and `isLast` says that no more come of it.
    func length(of fixes: some Sequence<FixFilter.Fix>, isLast: Bool) -> Int? {
        var fixes = fixes.makeIterator()
        guard var latest = fixes.next() else { return 0 }
        let there = Step(from: left, to: latest)
        guard isLeap(there) else { return 0 }
        for length in 1...Self.reach {
            guard let next = fixes.next() else { return isLast ? 0 : nil }
            let back = Step(from: latest, to: next)
            latest = next
            guard isLeap(back) else { continue }
            guard let second = fixes.next() else { return isLast ? 0 : nil }
            let around = [Step(from: previous, to: left), Step(from: next, to: second)]
            let isWrong = isWrong([there, back], around, apart: Step(from: left, to: next), length)
            return isWrong ? length : 0
        }
        return 0
    }

    private func isLeap(_ step: Step) -> Bool {
        step.to.isBeyond(rule.unseenSpeedLimit, from: step.from)
    }

    /// By the two leaps, the steps before and after them, and the step that leaves them out.
    private func isWrong(_ leaps: [Step], _ around: [Step], apart: Step, _ length: Int) -> Bool {
        let shorter = leaps.map(\.metres).min() ?? 0
        guard !around.contains(where: isLeap), 2 * apart.metres <= shorter else { return false }
        let isAbsurd = leaps.allSatisfy { $0.to.isBeyond(3 * rule.speedLimit, from: $0.from) }
        if isAbsurd, apart.seconds * 1000 <= Double(FixFilter.excursionMilliseconds) { return true }
        let quiet = 4 * (around.map(\.seconds).max() ?? 0)
        return length <= FixFilter.reach && apart.seconds <= Self.silentSeconds
            && leaps.allSatisfy { $0.seconds > quiet }
    }

    /// From a fix to a later one.
    private struct Step {
        let from: FixFilter.Fix
        let to: FixFilter.Fix

        var metres: Double { from.place.metres(to: to.place) }

        /// Infinite where a time is not known, or before the other.
        var seconds: Double {
            guard let start = from.time, let end = to.time, end >= start else { return .infinity }
            return (Double(end) - Double(start)) / 1000
        }
    }
}
