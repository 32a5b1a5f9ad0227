/// What is wrong with a fix.
public enum FixFlag: String, CaseIterable, Sendable {
    /// Latitude 0 and longitude 0: what a receiver without a fix sends.
    case zero
    /// The same time and place as the fix before.
    case repeated
    /// Its time is not between those of its neighbours, or more than a year from them.
    case untimely
    /// The receiver itself was unsure by more than 100 m.
    case inaccurate
    /// There and back faster than the sport can be.
    case jump
}

/// Judges fixes as they come; nothing is changed or left out here.
///
/// A fix is judged by those before and after it, so its verdict comes some fixes later, and is
/// another when other neighbours arrive. A jump is a way *there and back* (``Outlier`` tells of those
/// that last), or one of the few first or last fixes of a segment: who goes on from the new place, on
/// a train or after a tunnel, is believed.
package struct FixFilter: Sendable {
    /// A fix and its verdict.
    package struct Judged: Sendable {
        /// Counted from 0, of the fixes that were added.
        package let index: Int
        /// What is wrong with it; nil where it is believed.
        package let flag: FixFlag?
        let fix: Fix
        /// Its time in Unix milliseconds; nil where it has none, or none to go by.
        let time: Int64?

        /// The fix; nil where it is flagged.
        var believed: Fix? { flag == nil ? fix : nil }
    }

    /// What the filter knows of a fix.
    struct Fix: Sendable {
        let place: Coordinate
        /// Unix milliseconds.
        let time: Int64?
        let segment: Int64
    }

    /// So many fixes are looked at to tell one that is wrong; an ``Outlier`` may last longer.
    package static let reach = 5
    /// Who was away longer may have driven.
    static let excursionMilliseconds: Int64 = 120_000
    /// Nobody rests for so long within a segment: a clock was wrong before it, or is after it.
    private static let lapseMilliseconds: Int64 = 365 * 86_400_000
    /// In the channel's counts: 100 m.
    private static let accuracyLimit: Int64 = 1000

    private let rule: FixRule
    private var count = 0
    private var isEnding = false
    /// The latest fix that came.
    private var latest: Fix?
    /// The latest that was believed.
    private var believed: Fix?
    /// The one of its segment that was believed before it.
    private var previous: Fix?
    /// The time of the latest that was believed and had one.
    private var believedTime: Int64?
    /// How many of those that wait belong to an absence that was seen whole.
    private var absentCount = 0
    /// Those without a verdict, ascending; at most ``reach`` and one, twice as many where a segment
    /// begins, and as many as an absence may last and two more after a leap.
    private var waiting: [(index: Int, fix: Fix)] = []
    private var ready: [Judged] = []

    /// No fix yet.
    package init(_ rule: FixRule) {
        self.rule = rule
    }

    /// Goes on to a sample; one without a position is passed over.
    package mutating func add(_ sample: Sample) {
        guard let place = sample.coordinate else { return }
        let fix = Fix(
            place: place,
            time: sample.time?.milliseconds,
            segment: sample[count: .segment] ?? 0
        )
        if let flag = flag(of: fix, accuracy: sample[count: .accuracy]) {
            let time = flag == .inaccurate ? timeNearBelieved(of: fix) : nil
            ready.append(Judged(index: count, flag: flag, fix: fix, time: time))
        } else {
            waiting.append((count, fix))
        }
        latest = fix
        count += 1
    }

    /// Nothing comes any more, or not for now.
    package mutating func end() {
        isEnding = true
    }

    /// The next verdict; nil until more fixes came.
    package mutating func next() -> Judged? {
        if let judged = ready.popLast() { return judged }
        guard let (index, fix) = waiting.first else { return nil }
        if believed?.segment != fix.segment { (previous, believed) = (nil, nil) }
        guard let verdict = verdict() else { return nil }
        waiting.removeFirst()
        if verdict == .believed {
            (previous, believed) = (believed, fix)
            believedTime = fix.time ?? believedTime
        }
        let flag: FixFlag? = if case .flagged(let flag) = verdict { flag } else { nil }
        let time = flag == .untimely ? nil : fix.time
        return Judged(index: index, flag: flag, fix: fix, time: time)
    }

    /// A fix that is not judged by its neighbours may have any time.
    private func timeNearBelieved(of fix: Fix) -> Int64? {
        guard let time = fix.time, let believedTime else { return nil }
        let (elapsed, isTooLong) = time.subtractingReportingOverflow(believedTime)
        return isTooLong || elapsed.magnitude > Self.lapseMilliseconds ? nil : time
    }

    /// What a fix shows by itself and the one before.
    private func flag(of fix: Fix, accuracy: Int64?) -> FixFlag? {
        guard rule != .off else { return nil }
        if fix.place.isZero { return .zero }
        if accuracy ?? 0 > Self.accuracyLimit { return .inaccurate }
        guard let latest, let time = fix.time, latest.time == time, latest.place == fix.place,
            latest.segment == fix.segment
        else { return nil }
        return .repeated
    }
}

/// Judging by neighbours.
extension FixFilter {
    private enum Verdict: Equatable {
        case believed
        case flagged(FixFlag)
    }

    /// Of the first that waits; nil while those after it are too few to tell.
    private mutating func verdict() -> Verdict? {
        guard rule != .off else { return .believed }
        guard absentCount == 0 else {
            absentCount -= 1
            return .flagged(.jump)
        }
        let fix = waiting[0].fix
        var after = 1
        while after < waiting.count, waiting[after].fix.segment == fix.segment { after += 1 }
        let isLast = isEnding || after < waiting.count
        guard let believed else { return verdict(onFirst: fix, after: after, isLast) }
        guard let length = absence(from: believed, after, isLast) else { return nil }
        guard length == 0 else {
            absentCount = length - 1
            return .flagged(.jump)
        }
        return continues(fix, believed)
            ? verdict(onLikely: fix, after: after, isLast)
            : verdict(onUnlikely: fix, after: after, isLast)
    }

    /// How many of those that wait are at a place where nobody can have been; nil for not known yet.
    private func absence(from believed: Fix, _ end: Int, _ isLast: Bool) -> Int? {
        guard let previous else { return 0 }
        return Outlier(previous: previous, left: believed, rule: rule)
            .length(of: waiting[..<end].lazy.map(\.fix), isLast: isLast)
    }

    /// A segment begins elsewhere, as with the place where a receiver was switched off, where one of
    /// the next fixes cannot have come from there, and as many after it agree with that one.
    private func verdict(onFirst fix: Fix, after end: Int, _ isLast: Bool) -> Verdict? {
        let leap = (1..<end).first { !continues(waiting[$0].fix, waiting[$0 - 1].fix) } ?? end
        guard leap <= Self.reach else { return .believed }
        guard end > 2 * leap else { return isLast ? .believed : nil }
        let (elsewhere, next) = (waiting[leap - 1].fix, waiting[leap].fix)
        let agree = (leap + 1...2 * leap).allSatisfy { index in
            let later = waiting[index].fix
            return continues(later, waiting[index - 1].fix) && !continues(later, elsewhere)
        }
        let isAstray = isBefore(next, fix) || isLapse(from: fix, to: next)
        guard agree, isAstray || isSoon(next, after: fix) else { return .believed }
        return .flagged(isAstray ? .untimely : .jump)
    }

    /// A fix that can follow the one before is wrong where its next cannot follow it but could do
    /// without it, and the one after that agrees.
    private func verdict(onLikely fix: Fix, after end: Int, _ isLast: Bool) -> Verdict? {
        guard end > 1 else { return isLast ? .believed : nil }
        let next = waiting[1].fix
        guard !follows(next, fix), follows(next, believed) else { return .believed }
        guard end > 2 else { return isLast ? .believed : nil }
        let third = waiting[2].fix
        guard follows(third, next), !follows(third, fix) else { return .believed }
        return .flagged(isBefore(next, fix) ? .untimely : .jump)
    }

    /// A fix that cannot follow the one before is wrong where a later one can, and that one cannot
    /// have come from the place in doubt; and where the segment ends soon.
    private func verdict(onUnlikely fix: Fix, after end: Int, _ isLast: Bool) -> Verdict? {
        let isLate = believed.map { isBefore(fix, $0) } ?? false
        let isAhead = believed.map { isLapse(from: $0, to: fix) } ?? false
        let flag: FixFlag = isLate || isAhead ? .untimely : .jump
        for index in 1..<max(min(end, Self.reach + 1), 1) {
            let (before, later) = (waiting[index - 1].fix, waiting[index].fix)
            guard isBack(later, anytime: isAhead), isLate || !follows(later, before)
            else { continue }
            return .flagged(flag)
        }
        guard isLast || end > Self.reach else { return nil }
        return isLast && isStrayEnd(end, anytime: isAhead) ? .flagged(flag) : .believed
    }

    /// Whether the last few fixes of a segment agree with each other, and not with those before,
    /// which do.
    private func isStrayEnd(_ end: Int, anytime: Bool) -> Bool {
        guard let believed, let previous, follows(believed, previous), end <= Self.reach
        else { return false }
        return (anytime || isSoon(waiting[end - 1].fix, after: believed))
            && (1..<end).allSatisfy { follows(waiting[$0].fix, waiting[$0 - 1].fix) }
    }

    /// Whether a fix is where one can be who never left, soon enough that it says so.
    private func isBack(_ fix: Fix, anytime: Bool) -> Bool {
        guard let believed, continues(fix, believed) else { return false }
        return anytime || isSoon(fix, after: believed)
    }

    private func isSoon(_ fix: Fix, after earlier: Fix) -> Bool {
        guard let start = earlier.time, let end = fix.time else { return true }
        let (elapsed, isTooLong) = end.subtractingReportingOverflow(start)
        return !isTooLong && elapsed <= Self.excursionMilliseconds
    }

    private func isBefore(_ fix: Fix, _ other: Fix) -> Bool {
        guard let time = fix.time, let otherTime = other.time else { return false }
        return time < otherTime
    }

    private func isLapse(from earlier: Fix, to fix: Fix) -> Bool {
        guard let start = earlier.time, let end = fix.time, end > start else { return false }
        let (elapsed, isTooLong) = end.subtractingReportingOverflow(start)
        return isTooLong || elapsed > Self.lapseMilliseconds
    }

    /// Whether one can be the next of a segment.
    private func continues(_ fix: Fix, _ earlier: Fix) -> Bool {
        follows(fix, earlier) && !isLapse(from: earlier, to: fix)
    }

    /// Whether one can have come from the other's place in time; from nowhere it can.
    private func follows(_ fix: Fix, _ earlier: Fix?) -> Bool {
        guard let earlier else { return true }
        return !fix.isBeyond(rule.speedLimit, from: earlier)
    }
}

extension FixFilter.Fix {
    /// Metres a second over a way of `metres` from an earlier fix; infinite back in time, 0 where a time
    /// is not known.
    func speed(over metres: Double, from earlier: Self) -> Double {
        guard let seconds = seconds(from: earlier) else { return 0 }
        return seconds == 0 ? .infinity : metres / seconds
    }

    /// Whether one must have been faster than `limit` metres a second to come from an earlier fix.
    func isBeyond(_ limit: Double, from earlier: Self) -> Bool {
        guard let seconds = seconds(from: earlier) else { return false }
        // Most ways are so short that their exact length is no matter.
        guard seconds == 0 || earlier.place.metresAtMost(to: place) > limit * seconds else {
            return false
        }
        return speed(over: earlier.place.metres(to: place), from: earlier) > limit
    }

    /// One at least, for receivers write whole ones; 0 back in time, nil where a time is not known.
    private func seconds(from earlier: Self) -> Double? {
        guard let start = earlier.time, let end = time else { return nil }
        let elapsed = end.subtractingReportingOverflow(start)
        guard !elapsed.overflow, elapsed.partialValue >= 0 else { return 0 }
        return max(Double(elapsed.partialValue) / 1000, 1)
    }
}

extension FixFilter {
    /// The times to go by of some samples; nil where one has none, or is a fix that is out of time.
    static func times(of samples: [Sample], by rule: FixRule) -> [UnixTime?] {
        var times = samples.map(\.time)
        let points = samples.indices.filter { samples[$0].isPoint }
        var filter = FixFilter(rule)
        for index in points { filter.add(samples[index]) }
        filter.end()
        while let judged = filter.next() {
            times[points[judged.index]] = judged.time.map(UnixTime.init(milliseconds:))
        }
        return times
    }
}
