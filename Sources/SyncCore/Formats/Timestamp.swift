/// An instant as a file writes it.
struct WrittenTime: Hashable {
    let time: UnixTime
    /// The clock's UTC offset, or nil if the text does not state one.
    var offset: UTCOffset?
}

extension WrittenTime {
    /// Parses ISO 8601; see ``UnixTime/init(iso8601:)``.
    ///
    /// `Z`, `-00:00` and no offset say nothing about the local clock (RFC 3339, section 4.3).
    init?(iso8601 text: some Collection<UInt8>) {
        var scanner = Scanner(text)
        guard let date = scanner.date(), scanner.separator(), let time = scanner.timeOfDay(),
            let offset = scanner.offset(), scanner.isAtEnd
        else { return nil }
        let instant = Int64(date.days) * UnixTime.day + time - Int64(offset.minutes) * 60_000
        guard UnixTime.writable.contains(instant) else { return nil }
        self.time = UnixTime(milliseconds: instant)
        self.offset = offset.isTold ? UTCOffset(minutes: offset.minutes) : nil
    }
}

extension UTCOffset {
    /// Parses an offset such as `+02:00`, `-0330` or `+13`.
    package init?(iso8601 text: some Collection<UInt8>) {
        var scanner = Scanner(text)
        guard let offset = scanner.offset(), offset.isTold, scanner.isAtEnd else { return nil }
        self.init(minutes: offset.minutes)
    }
}

/// ISO 8601 instants in GPX and other formats.
extension UnixTime {
    /// The milliseconds of a day.
    static let day: Int64 = 86_400_000

    /// Unix milliseconds of the years 1 to 9999, which four digits can write.
    static let writable: ClosedRange<Int64> = -62_135_596_800_000...253_402_300_799_999

    /// Parses a time such as `2012-11-07T09:11:35Z`, with any fraction and any offset.
    ///
    /// The separator is `T`, `t` or a space. A text without an offset is UTC. A leap second is the
    /// first second of the next minute. Fractions are truncated to milliseconds.
    package init?(iso8601 text: some Collection<UInt8>) {
        guard let written = WrittenTime(iso8601: text) else { return nil }
        self = written.time
    }

    /// The instant in UTC with a `Z`, with milliseconds only if they are not zero.
    package var iso8601: String {
        let (days, milliseconds) = dayAndTime
        let time = Int(milliseconds)
        let fraction = time % 1000 == 0 ? "" : ".\((time % 1000).padded(to: 3))"
        let (hour, minute, second) = (time / 3_600_000, time / 60_000 % 60, time / 1000 % 60)
        return "\(CivilDate(days: Int(days)).iso8601)T\(hour.padded(to: 2))"
            + ":\(minute.padded(to: 2)):\(second.padded(to: 2))\(fraction)Z"
    }

    /// Days since 1970-01-01 and milliseconds since midnight UTC.
    package var dayAndTime: (day: Int64, time: Int64) {
        let (quotient, remainder) = milliseconds.quotientAndRemainder(dividingBy: Self.day)
        return remainder < 0 ? (quotient - 1, remainder + Self.day) : (quotient, remainder)
    }
}

/// Parses the parts of an instant from left to right.
private struct Scanner {
    private var rest: ArraySlice<UInt8>

    init(_ text: some Collection<UInt8>) {
        rest = Array(text).drop(while: \.isWhiteSpace)
        while rest.last?.isWhiteSpace == true { rest.removeLast() }
    }

    var isAtEnd: Bool { rest.isEmpty }

    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard let first = rest.first, first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }

    private mutating func number(_ digitCount: Int) -> Int? {
        guard rest.count >= digitCount, let number = rest.prefix(digitCount).wholeNumber
        else { return nil }
        rest.removeFirst(digitCount)
        return number
    }

    mutating func date() -> CivilDate? {
        guard let year = number(4), skip("-"), let month = number(2), skip("-"), let day = number(2)
        else { return nil }
        return CivilDate(year: year, month: month, day: day)
    }

    mutating func separator() -> Bool { skip("T") || skip("t") || skip(" ") }

    /// Milliseconds since midnight.
    mutating func timeOfDay() -> Int64? {
        guard let hour = number(2), hour < 24, skip(":"), let minute = number(2), minute < 60,
            skip(":"), let second = number(2), second <= 60
        else { return nil }
        let whole = Int64(hour * 3600 + minute * 60 + second) * 1000
        guard skip(".") || skip(",") else { return whole }
        let digits = rest.prefix { $0.digit != nil }
        guard !digits.isEmpty else { return nil }
        rest.removeFirst(digits.count)
        let scales = zip(digits, [Int64(100), 10, 1])
        return scales.reduce(whole) { $0 + Int64($1.0.digit ?? 0) * $1.1 }
    }

    /// Minutes east of UTC, and whether the text states the offset of a local clock.
    mutating func offset() -> (minutes: Int, isTold: Bool)? {
        if rest.isEmpty || skip("Z") || skip("z") { return (0, false) }
        let isWest = skip("-")
        guard isWest || skip("+"), let hour = number(2), hour < 24 else { return nil }
        _ = skip(":")
        let minute = rest.isEmpty ? 0 : number(2)
        guard let minute, minute < 60 else { return nil }
        let minutes = hour * 60 + minute
        return (isWest ? -minutes : minutes, !isWest || minutes > 0)
    }
}
