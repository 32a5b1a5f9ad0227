import ProgramKit
import SyncCore

/// Parses times of a track: local time of day, time since the start, or an instant.
struct TrackTime: Sendable {
    private let track: Track
    private let recorded: ClosedRange<UnixTime>?

    /// Creates a parser; throws if the track has no times.
    ///
    /// `recorded` extends the search to times that were recorded but are not shown.
    init(of track: Track, recorded: ClosedRange<UnixTime>? = nil) throws(UserError) {
        guard track.start != nil else {
            throw UserError.failure(
                "\(track.label) has no times, so no part of it can be selected",
                hint: "'wake tracks hide \(track.id.short) --flagged' leaves out impossible "
                    + "fixes; or import a file of this track with times"
            )
        }
        (self.track, self.recorded) = (track, recorded)
    }

    /// Parses `10:15`, `10:15:30`, `+1:05:00` since the start, or an ISO 8601 instant.
    func callAsFunction(_ text: String) throws(UserError) -> UnixTime {
        if let time = instant(text) { return time }
        throw UserError.usage(
            "'\(text.withoutControls.shortened(to: 40))' is not a time of a track",
            hint:
                "10:15 and 10:15:30 are on the track's clocks, +5:00 and +1:05:00 count from its start, "
                + "2026-05-01T10:15:00Z is an instant"
        )
    }

    private func instant(_ text: String) -> UnixTime? {
        guard let start = track.start else { return nil }
        if text.hasPrefix("+") {
            guard let span = Self.milliseconds(text.dropFirst(), leading: .minutes) else {
                return nil
            }
            return Self.sum(start.time, span)
        }
        if text.contains("-") { return UnixTime(iso8601: text.utf8) }
        guard let span = Self.milliseconds(text[...], leading: .hours), span < Self.day else {
            return nil
        }
        return nearest(span, start)
    }

    /// Returns the instant for a local time of day.
    ///
    /// Takes the first such instant from the start on, if it lies within the shown times. Otherwise
    /// it or the instant a day earlier, whichever is nearer to the recorded times, then to the
    /// shown times. The earlier one must not lie on a day before the first recorded sample.
    private func nearest(_ sinceMidnight: Int64, _ start: TrackStart) -> UnixTime? {
        let later = onClocks(sinceMidnight, start, notBefore: start.time)
        guard let recorded, let later, let finish = track.finish, later > finish,
            let dayBefore = Self.sum(start.time, -Self.day),
            let earlier = onClocks(sinceMidnight, start, notBefore: dayBefore),
            day(earlier, start) >= day(recorded.lowerBound, start)
        else { return later }
        let shown = min(start.time, finish)...finish
        let distances = [later, earlier].map {
            (recorded.distanceMilliseconds(to: $0), shown.distanceMilliseconds(to: $0))
        }
        return distances[1] < distances[0] ? earlier : later
    }

    /// Returns the first instant at or after `first` with the given local time of day.
    private func onClocks(
        _ sinceMidnight: Int64,
        _ start: TrackStart,
        notBefore first: UnixTime
    ) -> UnixTime? {
        let day = Self.day
        let offset = { time in Int64(start.offset(at: time)?.minutes ?? 0) * 60_000 }
        guard let local = Self.sum(first, offset(first))?.milliseconds else { return nil }
        // Rounds to the second: 10:15:30 copied from a list means the whole second.
        let shown = (local.floored(to: day), local.floored(to: 1000))
        let days: Int64 = shown.0 + sinceMidnight < shown.1 ? 1 : 0
        let wanted = shown.0 + days * day + sinceMidnight
        let guess = UnixTime(milliseconds: wanted - offset(first))
        // Daylight saving time may have begun or ended since the start.
        return UnixTime(milliseconds: wanted - offset(guess))
    }

    private func day(_ time: UnixTime, _ start: TrackStart) -> Int64 {
        let (local, _) = time.milliseconds.addingReportingOverflow(
            Int64(start.offset(at: time)?.minutes ?? 0) * 60_000
        )
        // A hostile sample may have the smallest Int64 as its time; flooring must not overflow.
        return local / Self.day - (local % Self.day < 0 ? 1 : 0)
    }

    private static let day: Int64 = 86_400_000

    private static func sum(_ time: UnixTime, _ span: Int64) -> UnixTime? {
        let (sum, isTooLong) = time.milliseconds.addingReportingOverflow(span)
        return isTooLong || !UnixTime.plausible.contains(sum) ? nil : UnixTime(milliseconds: sum)
    }

    private enum Unit {
        case hours
        case minutes
    }

    /// Parses `h:mm:ss`; `leading` is the unit of the first of two numbers.
    private static func milliseconds(_ text: Substring, leading: Unit) -> Int64? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map {
            $0.allSatisfy(\.isNumber) && (1...6).contains($0.utf8.count) ? Int64($0) : nil
        }
        let numbers = parts.compactMap { $0 }
        guard numbers.count == parts.count, numbers.dropFirst().allSatisfy({ $0 < 60 }) else {
            return nil
        }
        switch (numbers.count, leading) {
        case (3, _): return ((numbers[0] * 60 + numbers[1]) * 60 + numbers[2]) * 1000
        case (2, .hours): return (numbers[0] * 60 + numbers[1]) * 60_000
        case (2, .minutes): return (numbers[0] * 60 + numbers[1]) * 1000
        default: return nil
        }
    }
}

extension Int64 {
    fileprivate func floored(to step: Int64) -> Int64 {
        let rest = self % step
        return self - (rest < 0 ? rest + step : rest)
    }
}
