/// A few fixes at a place where nobody can have been: a leap there, and a leap back.
///
/// Fixes on each side of a leap agree with each other. The track continues near the point where it
/// left, within half the shorter leap. That is an outlier if both leaps
///
/// - take more than three times the sport's speed limit, for up to ``reach`` fixes and two minutes;
///   or
/// - take more than ``FixRule/unseenSpeedLimit`` and each spans a silence, over four times as long
///   as the steps before and after, for up to 5 fixes and ten minutes.
///
/// A receiver that reports a few fixes while it has lost the sky is usually wrong: hardly anybody
/// drives there and back between them. A real drive leaves fixes on the way. A recorder with one
/// fix a minute has no silences.
struct Outlier {
    /// The most fixes in an outlier.
    static let reach = 30
    /// The longest outlier between two silences.
    private static let silentSeconds = 600.0

    /// The fix before ``left`` in its segment.
    let previous: FixFilter.Fix
    /// The last believed fix.
    let left: FixFilter.Fix
    let rule: FixRule

    /// Returns the number of fixes after ``left`` that are an outlier, 0 if none are.
    ///
    /// Returns nil until enough fixes are known. `fixes` are of one segment; `isLast` says that it
    /// has no more.
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

    /// Decides by the leaps, the steps around them and the direct step from start to end.
    private func isWrong(_ leaps: [Step], _ around: [Step], apart: Step, _ length: Int) -> Bool {
        let shorter = leaps.map(\.metres).min() ?? 0
        guard !around.contains(where: isLeap), 2 * apart.metres <= shorter else { return false }
        let isAbsurd = leaps.allSatisfy { $0.to.isBeyond(3 * rule.speedLimit, from: $0.from) }
        if isAbsurd, apart.seconds * 1000 <= Double(FixFilter.excursionMilliseconds) { return true }
        let quiet = 4 * (around.map(\.seconds).max() ?? 0)
        return length <= FixFilter.reach && apart.seconds <= Self.silentSeconds
            && leaps.allSatisfy { $0.seconds > quiet }
    }

    /// A step from a fix to a later one.
    private struct Step {
        let from: FixFilter.Fix
        let to: FixFilter.Fix

        var metres: Double { from.place.metres(to: to.place) }

        /// Infinite if a time is missing or goes backwards.
        var seconds: Double {
            guard let start = from.time, let end = to.time, end >= start else { return .infinity }
            return (Double(end) - Double(start)) / 1000
        }
    }
}
