import ProgramKit
import SyncCore

/// A local date and time of day at an offset from UTC.
struct CalendarTime: Hashable, Sendable {
    let day: CivilDate
    private let secondOfDay: Int

    init(_ time: UnixTime, offset: UTCOffset? = nil) {
        // A cell may hold any Int64 as its time, and the sum must not trap.
        let local = time.milliseconds &+ Int64(offset?.minutes ?? 0) * 60_000
        let (days, millisecondOfDay) = UnixTime(milliseconds: local).dayAndTime
        day = CivilDate(days: Int(days))
        secondOfDay = Int(millisecondOfDay / 1000)
    }

    /// The date as ISO 8601: `2026-05-01`.
    var date: String { day.iso8601 }

    /// Returns date and time for tables: `2026-05-01 09:30`, or `2026-05-01 9:30 am`.
    func short(isTwelveHour: Bool = false) -> String {
        "\(date) \(clock(isTwelveHour: isTwelveHour))"
    }

    /// Returns the time of day: `09:30`, `09:30:20`, or `9:30 am`.
    func clock(isTwelveHour: Bool = false, hasSeconds: Bool = false) -> String {
        let (hour, minute) = (secondOfDay / 3600, (secondOfDay / 60 % 60).padded(to: 2))
        let tail = minute + (hasSeconds ? ":\((secondOfDay % 60).padded(to: 2))" : "")
        guard isTwelveHour else { return "\(hour.padded(to: 2)):\(tail)" }
        return "\((hour + 11) % 12 + 1):\(tail) \(hour < 12 ? "am" : "pm")"
    }
}

extension UnixTime {
    /// Returns the milliseconds since `start`, or nil on overflow: a cell may hold any time.
    func milliseconds(since start: UnixTime) -> Int64? {
        let (span, isTooLong) = milliseconds.subtractingReportingOverflow(start.milliseconds)
        return isTooLong ? nil : span
    }

    /// Returns the distance to another time in milliseconds, or `UInt64.max` on overflow.
    func distanceMilliseconds(to other: UnixTime) -> UInt64 {
        milliseconds(since: other)?.magnitude ?? .max
    }
}

/// Durations as text.
enum Elapsed {
    /// Returns `0:07`, `12:34` or `1:02:03`, rounded down to whole seconds.
    static func text(milliseconds: Int64) -> String {
        let seconds = milliseconds.magnitude / 1000
        let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
        let tail = Int(seconds % 60).padded(to: 2)
        let sign = milliseconds < 0 && seconds > 0 ? "-" : ""
        let head = hours > 0 ? "\(hours):\(Int(minutes).padded(to: 2))" : "\(minutes)"
        return "\(sign)\(head):\(tail)"
    }

    /// Returns the same for seconds, or `–` if they are out of range.
    static func text(seconds: Double) -> String {
        Int64(exactly: (seconds * 1000).rounded()).map(text(milliseconds:)) ?? "–"
    }

    /// Returns an age: `just now`, `5 min ago`, `3 h ago`, `12 d ago`.
    static func ago(milliseconds: Int64) -> String {
        let minutes = milliseconds / 60_000
        return switch minutes {
        case ..<1: "just now"
        case ..<60: "\(minutes) min ago"
        case ..<2880: "\(minutes / 60) h ago"
        default: "\(minutes / 1440) d ago"
        }
    }

    /// Returns a magnitude with up to two units: `0.3 s`, `5 min 12 s`, `3 h 5 min`, `400 d`.
    static func span(milliseconds: Int64) -> String {
        let seconds = milliseconds.magnitude / 1000
        guard seconds >= 60 else { return "\((Double(milliseconds.magnitude) / 1000).fixed(1)) s" }
        let (days, hours, minutes) = (seconds / 86_400, seconds / 3600, seconds / 60)
        let parts =
            days > 0
            ? [(days, "d"), (hours % 24, "h")]
            : hours > 0
                ? [(hours, "h"), (minutes % 60, "min")] : [(minutes, "min"), (seconds % 60, "s")]
        return parts.filter { $0.0 > 0 }.map { "\($0) \($1)" }.joined(separator: " ")
    }
}
