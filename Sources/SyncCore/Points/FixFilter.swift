/// The reason why a fix is flagged.
public enum FixFlag: String, CaseIterable, Sendable {
    /// Latitude 0 and longitude 0, as a receiver without a fix reports.
    case zero
    /// The same time and place as the previous fix.
    case repeated
    /// Its time is out of order, or more than a year from its neighbours'.
    case untimely
    /// The receiver reported an accuracy worse than 100 m.
    case inaccurate
    /// Out and back faster than is possible in the sport.
    case jump
}

/// An outlier filter for fixes: it flags fixes and neither changes nor drops any.
///
/// A verdict depends on the fixes before and after, so it comes some fixes later. It may differ
/// when other neighbours arrive. A jump leads out *and back* (longer ones are ``Outlier``s), or is
/// one of the first or last few fixes of a segment. If the track continues from the new place, as
/// on a train or after a tunnel, the fixes are believed.
package struct FixFilter: Sendable {
    /// A fix and its verdict.
    package struct Judged: Sendable {
        /// The fix's number, from 0 in the order of the added fixes.
        package let index: Int
        /// The reason why the fix is flagged, or nil if it is believed.
        package let flag: FixFlag?
        let fix: Fix
        /// The trusted time, or nil if the fix has none.
        let time: UnixTime?

        /// The fix, or nil if it is flagged.
        var believed: Fix? { flag == nil ? fix : nil }
    }

    /// Verdicts of another version may differ, so that their sums do not count.
    static let version: Int64 = 1
    /// The most wrong fixes in a row that are recognized; an ``Outlier`` may be longer.
    package static let reach = 5
    /// The longest excursion that can be a jump.
    ///
    /// After a longer gap the person may have travelled by car.
    static let excursionMilliseconds: Int64 = 120_000
    /// A longer gap within a segment means that the clock was wrong, before it or after.
    static let lapseMilliseconds: Int64 = 365 * 86_400_000
    /// 100 m, in counts of the channel.
    private static let accuracyLimit: Int64 = 1000

    private let rule: FixRule
    private var count = 0
    private var isEnding = false
    private var latest: Fix?
    /// The latest believed fix of the current segment.
    private var believed: Fix?
    /// The believed fix before that in the segment.
    private var previous: Fix?
    /// The latest time of a believed fix.
    private var believedTime: Int64?
    /// The number of waiting fixes that belong to an ``Outlier`` found earlier.
    private var absentCount = 0
    /// The fixes without a verdict, ascending.
    ///
    /// At most `reach + 1` of them; `2 * reach + 1` where a segment begins, and `Outlier.reach + 2`
    /// after a leap.
    private var waiting: [(index: Int, fix: Fix)] = []
    private var ready: [Judged] = []
    /// The verdict on a fix between two calm steps, which comes before those in `ready`.
    private var settled: Judged?
    /// The number of the first waiting fix if the step to it is known to be calm.
    private var calmIndex: Int?

    package init(_ rule: FixRule) { self.rule = rule }

    /// Adds a sample; one without a position is ignored.
    package mutating func add(_ sample: Sample) {
        guard let place = sample.coordinate else { return }
        let fix = Fix(place: place, time: sample[count: .time], segment: sample.segment)
        add(fix, accuracy: sample[count: .accuracy])
    }

    /// Adds a fix with the reading of its accuracy, if it has one.
    mutating func add(_ fix: Fix, accuracy: Int64?) {
        if let flag = flag(of: fix, accuracy: accuracy) {
            let isTimely = flag == .inaccurate && isNearBelieved(fix)
            let time = isTimely ? fix.time.map(UnixTime.init(milliseconds:)) : nil
            ready.append(Judged(index: count, flag: flag, fix: fix, time: time))
        } else if !settle(before: fix) {
            waiting.append((count, fix))
        }
        latest = fix
        count += 1
    }

    /// Declares the input complete, at least for now.
    package mutating func end() { isEnding = true }

    /// Returns the next verdict, or nil until more fixes are added.
    ///
    /// Verdicts may be out of order: a fix that is flagged without its neighbours comes first.
    package mutating func next() -> Judged? {
        if let judged = settled.take() ?? ready.popLast() { return judged }
        guard let (index, fix) = waiting.first else { return nil }
        // After a calm step, the verdict depends on the next fix.
        guard calmIndex != index || waiting.count > 1 || isEnding else { return nil }
        if believed?.segment != fix.segment { (previous, believed) = (nil, nil) }
        guard let verdict = verdict() else { return nil }
        waiting.removeFirst()
        if verdict == .believed {
            (previous, believed) = (believed, fix)
            believedTime = fix.time ?? believedTime
        }
        let flag: FixFlag? = if case .flagged(let flag) = verdict { flag } else { nil }
        let time = flag == .untimely ? nil : fix.time.map(UnixTime.init(milliseconds:))
        return Judged(index: index, flag: flag, fix: fix, time: time)
    }

    /// Believes the only waiting fix if the steps to it and to the next one are calm.
    ///
    /// Nearly all fixes are settled here. ``verdict()`` would say the same, more slowly.
    private mutating func settle(before next: Fix) -> Bool {
        guard waiting.count == 1, settled == nil, absentCount == 0, let believed, rule != .off
        else { return false }
        let (index, fix) = waiting[0]
        guard calmIndex == index || fix.isCalm(after: believed, rule), next.isCalm(after: fix, rule)
        else { return false }
        settled = Judged(
            index: index,
            flag: nil,
            fix: fix,
            time: fix.time.map(UnixTime.init(milliseconds:))
        )
        (previous, self.believed) = (believed, fix)
        believedTime = fix.time ?? believedTime
        waiting[0] = (count, next)
        calmIndex = count
        return true
    }

    /// Whether the fix's time is within a year of the latest believed time.
    ///
    /// The neighbours do not check the time of an inaccurate fix.
    private func isNearBelieved(_ fix: Fix) -> Bool {
        guard let time = fix.time, let believedTime else { return false }
        let (elapsed, isTooLong) = time.subtractingReportingOverflow(believedTime)
        return !isTooLong && elapsed.magnitude <= Self.lapseMilliseconds
    }

    /// Flags a fix by itself and the fix before it.
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

/// Verdicts that depend on a fix's neighbours.
extension FixFilter {
    private enum Verdict: Equatable {
        case believed
        case flagged(FixFlag)
    }

    /// Returns the verdict on the first waiting fix, or nil until enough fixes follow it.
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

    /// Returns the number of waiting fixes in an ``Outlier``, or nil until it can be known.
    private func absence(from believed: Fix, _ end: Int, _ isLast: Bool) -> Int? {
        guard let previous else { return 0 }
        return Outlier(previous: previous, left: believed, rule: rule)
            .length(of: waiting[..<end].lazy.map(\.fix), isLast: isLast)
    }

    /// Flags the first fixes of a segment if the segment really begins elsewhere.
    ///
    /// Receivers repeat the place where they were switched off. One of the next fixes must be
    /// unreachable from there, and as many fixes after it must agree with that one.
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

    /// Judges a fix that can follow the fix before it.
    ///
    /// Flags it if the next fix can follow the believed one but not this one, and the third fix
    /// agrees with the next.
    private func verdict(onLikely fix: Fix, after end: Int, _ isLast: Bool) -> Verdict? {
        guard end > 1 else { return isLast ? .believed : nil }
        let next = waiting[1].fix
        guard !follows(next, fix), follows(next, believed) else { return .believed }
        guard end > 2 else { return isLast ? .believed : nil }
        let third = waiting[2].fix
        guard follows(third, next), !follows(third, fix) else { return .believed }
        return .flagged(isBefore(next, fix) ? .untimely : .jump)
    }

    /// Judges a fix that cannot follow the fix before it.
    ///
    /// Flags it if a later fix returns to the believed place by another leap, or if the segment
    /// ends within a few fixes.
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

    /// Whether the last few fixes of a segment agree with each other and so did the fixes before.
    private func isStrayEnd(_ end: Int, anytime: Bool) -> Bool {
        guard let believed, let previous, follows(believed, previous), end <= Self.reach
        else { return false }
        return (anytime || isSoon(waiting[end - 1].fix, after: believed))
            && (1..<end).allSatisfy { follows(waiting[$0].fix, waiting[$0 - 1].fix) }
    }

    /// Whether a fix can follow the believed one, soon enough to show that nobody left.
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

    /// Whether a fix can be the next of a segment after an earlier one.
    private func continues(_ fix: Fix, _ earlier: Fix) -> Bool {
        follows(fix, earlier) && !isLapse(from: earlier, to: fix)
    }

    /// Whether the speed limit allows the way from an earlier fix; true if there is none.
    private func follows(_ fix: Fix, _ earlier: Fix?) -> Bool {
        guard let earlier else { return true }
        return !fix.isBeyond(rule.speedLimit, from: earlier)
    }
}

extension FixFilter {
    /// Returns the trusted time of each sample.
    ///
    /// It is nil if the sample has none, or is a fix flagged as zero, repeated or untimely. An
    /// inaccurate fix keeps a time within a year of the latest believed one.
    static func times(of samples: Samples, by rule: FixRule) -> [UnixTime?] {
        var times = samples.map(\.time)
        var points: [Int] = []
        var filter = FixFilter(rule)
        for (index, sample) in samples.enumerated() where sample.isPoint {
            filter.add(sample)
            points.append(index)
        }
        filter.end()
        while let judged = filter.next() {
            times[points[judged.index]] = judged.time
        }
        return times
    }
}
