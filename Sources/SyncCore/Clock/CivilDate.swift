/// A date in the proleptic Gregorian calendar.
package struct CivilDate: Hashable, Sendable {
    package let year: Int
    package let month: Int
    package let day: Int

    /// Creates a date that exists, in the years 1 to 9999; nil for any other.
    package init?(year: Int, month: Int, day: Int) {
        guard 1...9999 ~= year, 1...12 ~= month, 1...Self.length(ofMonth: month, year: year) ~= day
        else { return nil }
        (self.year, self.month, self.day) = (year, month, day)
    }

    /// Creates the date `days` after 1970-01-01, which may lie outside the years 1 to 9999.
    ///
    /// Algorithm: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", where years begin
    /// in March.
    package init(days: Int) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// The number of days since 1970-01-01; negative before.
    package var days: Int {
        let marchYear = month <= 2 ? year - 1 : year
        let era = (marchYear >= 0 ? marchYear : marchYear - 399) / 400
        let yearOfEra = marchYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
            - 719_468
    }

    /// The date in ISO 8601 format, such as `2026-05-01`.
    package var iso8601: String {
        "\(year.padded(to: 4))-\(month.padded(to: 2))-\(day.padded(to: 2))"
    }

    /// Parses the exact output of ``iso8601``; nil for any other text.
    package init?(iso8601 text: String) {
        let parts = text.split(separator: "-").compactMap { Int($0) }
        guard parts.count == 3 else { return nil }
        self.init(year: parts[0], month: parts[1], day: parts[2])
        guard iso8601 == text else { return nil }
    }

    private static func length(ofMonth month: Int, year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

extension Int {
    /// Returns the number in decimal, padded with leading zeros to at least `width` digits.
    package func padded(to width: Int) -> String {
        let digits = "\(magnitude)"
        let zeros = String(repeating: "0", count: Swift.max(0, width - digits.utf8.count))
        return (self < 0 ? "-" : "") + zeros + digits
    }
}
