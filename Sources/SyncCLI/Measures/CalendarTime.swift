import SyncCore

/// A date and a time of day at an offset from UTC, in the Gregorian calendar.
struct CalendarTime: Hashable, Sendable {
    let year: Int
    let month: Int
    let day: Int
    let secondOfDay: Int
    let millisecond: Int
    let offsetMinutes: Int

    /// The date and time at an instant.
    ///
    /// Source: Hinnant, "chrono-Compatible Low-Level Date Algorithms": years start in March, so
    /// that the leap day is the last.
    init(_ time: UnixTime, offsetMinutes: Int = 0) {
        let local = time.milliseconds + Int64(offsetMinutes) * 60_000
        let days = Int(local.flooredQuotient(86_400_000))
        let millisecondOfDay = Int(local - Int64(days) * 86_400_000)
        secondOfDay = millisecondOfDay / 1000
        millisecond = millisecondOfDay % 1000
        self.offsetMinutes = offsetMinutes

        let shifted = days + 719_468
        let era = Int(Int64(shifted).flooredQuotient(146_097))
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// RFC 3339: `2026-05-01T09:30:00Z`, with milliseconds only where there are any.
    var iso: String {
        let fraction = millisecond == 0 ? "" : "." + Self.digits(millisecond, 3)
        return "\(date)T\(clock(seconds: true))\(fraction)\(offset)"
    }

    /// For tables: `2026-05-01 09:30`.
    var short: String { "\(date) \(clock(seconds: false))" }

    /// As ``short``, or with am and pm: `2026-05-01 9:30 am`.
    func short(isTwelveHour: Bool) -> String {
        guard isTwelveHour else { return short }
        let (hour, minute) = (secondOfDay / 3600, secondOfDay / 60 % 60)
        let half = hour < 12 ? "am" : "pm"
        return "\(date) \((hour + 11) % 12 + 1):\(Self.digits(minute, 2)) \(half)"
    }

    /// `2026-05-01`.
    var date: String {
        "\(Self.digits(year, 4))-\(Self.digits(month, 2))-\(Self.digits(day, 2))"
    }

    private func clock(seconds: Bool) -> String {
        let (hour, minute) = (secondOfDay / 3600, secondOfDay / 60 % 60)
        let text = "\(Self.digits(hour, 2)):\(Self.digits(minute, 2))"
        return seconds ? "\(text):\(Self.digits(secondOfDay % 60, 2))" : text
    }

    private var offset: String {
        guard offsetMinutes != 0 else { return "Z" }
        let (hours, minutes) = abs(offsetMinutes).quotientAndRemainder(dividingBy: 60)
        let sign = offsetMinutes < 0 ? "-" : "+"
        return "\(sign)\(Self.digits(hours, 2)):\(Self.digits(minutes, 2))"
    }

    private static func digits(_ number: Int, _ count: Int) -> String {
        let text = String(number.magnitude)
        let zeros = String(repeating: "0", count: max(0, count - text.count))
        return (number < 0 ? "-" : "") + zeros + text
    }
}

extension Int64 {
    /// The quotient rounded towards minus infinity.
    fileprivate func flooredQuotient(_ divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}

/// How long something took.
enum Elapsed {
    /// `0:07`, `12:34`, `1:02:03`; whole seconds, rounded down.
    static func text(milliseconds: Int64) -> String {
        let seconds = milliseconds.magnitude / 1000
        let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
        let tail = two(seconds % 60)
        let sign = milliseconds < 0 && seconds > 0 ? "-" : ""
        return sign + (hours > 0 ? "\(hours):\(two(minutes)):\(tail)" : "\(minutes):\(tail)")
    }

    /// For "when": `just now`, `5 min ago`, `3 h ago`, `12 d ago`.
    static func ago(milliseconds: Int64) -> String {
        let minutes = milliseconds / 60_000
        return switch minutes {
        case ..<1: "just now"
        case ..<60: "\(minutes) min ago"
        case ..<2880: "\(minutes / 60) h ago"
        default: "\(minutes / 1440) d ago"
        }
    }

    /// For "how far", either way: `0.3 s`, `5 min 12 s`, `3 h 5 min`, `400 d`.
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

    private static func two(_ number: UInt64) -> String {
        number < 10 ? "0\(number)" : String(number)
    }
}
