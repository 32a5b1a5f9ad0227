extension FixFilter {
    /// The parts of a fix that the filter uses.
    struct Fix: Hashable, Sendable {
        let place: Coordinate
        /// Unix milliseconds.
        let time: Int64?
        let segment: Int64
    }
}

extension FixFilter.Fix {
    /// Whether the step from an earlier fix of the segment is below every limit of the filter.
    ///
    /// False if the exact length of the step decides.
    func isCalm(after earlier: Self, _ rule: FixRule) -> Bool {
        guard segment == earlier.segment else { return false }
        guard let start = earlier.time, let end = time else { return true }
        let (elapsed, isTooLong) = end.subtractingReportingOverflow(start)
        guard !isTooLong, 0...FixFilter.lapseMilliseconds ~= elapsed else { return false }
        let seconds = max(Double(elapsed) / 1000, 1)
        return earlier.place.metresAtMost(to: place) <= rule.unseenSpeedLimit * seconds
    }

    /// Returns the metres from the fix before, as they count for a distance.
    ///
    /// 0 for the first fix of a segment, because the recorder was paused. Also 0 for a fix that is
    /// earlier and elsewhere: it begins another run, where logs that were joined lack segments.
    func metres(from earlier: Self?) -> Double {
        guard let earlier, earlier.segment == segment else { return 0 }
        let metres = earlier.place.metres(to: place)
        guard let start = earlier.time, let end = time, end < start else { return metres }
        return metres <= Self.clockSetMetres ? metres : 0
    }

    /// The greatest distance while a clock is set back.
    private static let clockSetMetres = 100.0

    /// Returns the speed in metres a second over `metres` from an earlier fix.
    ///
    /// Infinite if the time goes backwards, 0 if a time is missing.
    func speed(over metres: Double, from earlier: Self) -> Double {
        guard let seconds = seconds(from: earlier) else { return 0 }
        return seconds == 0 ? .infinity : metres / seconds
    }

    /// Whether the way from an earlier fix takes more than `limit` metres a second.
    func isBeyond(_ limit: Double, from earlier: Self) -> Bool {
        guard let seconds = seconds(from: earlier) else { return false }
        // The upper bound settles most steps without their exact length.
        guard seconds == 0 || earlier.place.metresAtMost(to: place) > limit * seconds
        else { return false }
        return speed(over: earlier.place.metres(to: place), from: earlier) > limit
    }

    /// At least 1, because receivers report whole seconds; 0 if the time goes backwards, nil if
    /// missing.
    private func seconds(from earlier: Self) -> Double? {
        guard let start = earlier.time, let end = time else { return nil }
        let elapsed = end.subtractingReportingOverflow(start)
        guard !elapsed.overflow, elapsed.partialValue >= 0 else { return 0 }
        return max(Double(elapsed.partialValue) / 1000, 1)
    }
}
