/// A decimal number as text spells it: `mantissa` × 10^`exponent`.
///
/// Accepts `[+-]digits[.digits][e[+-]digits]` only: no `nan`, `inf` or hexadecimal. Digits beyond
/// 63 bits are dropped; they are far below any channel's resolution.
struct Decimal: Equatable {
    private(set) var mantissa: Int64 = 0
    private(set) var exponent = 0

    /// Parses all of `text`, apart from surrounding white space.
    init?(_ text: [UInt8]) { self.init(text[...]) }

    /// Parses all of `text`, apart from surrounding white space.
    init?(_ text: ArraySlice<UInt8>) {
        var rest = text.drop(while: \.isWhiteSpace)
        let isNegative = Self.sign(&rest)
        guard digits(&rest) else { return nil }
        if rest.first.map({ $0 | 0x20 }) == UInt8(ascii: "e") {
            rest = rest.dropFirst()
            guard let power = Self.power(&rest) else { return nil }
            exponent += power
        }
        guard rest.allSatisfy(\.isWhiteSpace) else { return nil }
        if isNegative { mantissa = -mantissa }
    }

    /// The number as a `Double`, accurate to a few units in the last place.
    ///
    /// Exponents beyond ±300 give infinity or 0.
    var value: Double {
        var value = Double(mantissa)
        let power = Self.powers[min(abs(exponent), Self.powers.count - 1)]
        value = exponent < 0 ? value / power : value * power
        return abs(exponent) < Self.powers.count ? value : (exponent < 0 ? 0 : .infinity)
    }

    /// Converts to counts of 10^-`decimals`, rounded half away from zero; nil beyond 64 bits.
    func count(decimals: Int) -> Int64? {
        let shift = exponent + decimals
        guard shift < 0 else {
            guard mantissa != 0 else { return 0 }
            guard shift < Self.integerPowers.count else { return nil }
            let (count, overflow) = mantissa.multipliedReportingOverflow(
                by: Self.integerPowers[shift]
            )
            return overflow ? nil : count
        }
        guard -shift < Self.integerPowers.count else {
            let isHalf = -shift == 19 && mantissa.magnitude >= 5_000_000_000_000_000_000
            return isHalf ? mantissa.signum() : 0
        }
        let divisor = Self.integerPowers[-shift]
        let (quotient, remainder) = mantissa.quotientAndRemainder(dividingBy: divisor)
        let roundsAway = remainder.magnitude >= divisor.magnitude - remainder.magnitude
        return roundsAway ? quotient + (mantissa < 0 ? -1 : 1) : quotient
    }

    private static let integerPowers = (0...18).map { power in
        (0..<power).reduce(Int64(1)) { product, _ in product * 10 }
    }
    private static let powers = (0...300).map { power in
        (0..<power).reduce(1.0) { product, _ in product * 10 }
    }

    private static func sign(_ rest: inout ArraySlice<UInt8>) -> Bool {
        guard let first = rest.first, first == UInt8(ascii: "-") || first == UInt8(ascii: "+")
        else { return false }
        rest = rest.dropFirst()
        return first == UInt8(ascii: "-")
    }

    /// Parses digits with at most one decimal point; returns false if there is no digit.
    private mutating func digits(_ rest: inout ArraySlice<UInt8>) -> Bool {
        var (digitCount, isFull, hasPoint) = (0, false, false)
        while let next = rest.first {
            if next == UInt8(ascii: "."), !hasPoint {
                hasPoint = true
            } else if let digit = next.digit {
                digitCount += 1
                isFull = isFull || !append(digit)
                if hasPoint != isFull { exponent += isFull ? 1 : -1 }
            } else {
                break
            }
            rest = rest.dropFirst()
        }
        return digitCount > 0
    }

    /// Appends a digit, or returns false if the mantissa is full.
    private mutating func append(_ digit: Int) -> Bool {
        let (shifted, overflow) = mantissa.multipliedReportingOverflow(by: 10)
        let (sum, carry) = shifted.addingReportingOverflow(Int64(digit))
        guard !overflow, !carry else { return false }
        mantissa = sum
        return true
    }

    /// Parses an exponent of one to three digits.
    private static func power(_ rest: inout ArraySlice<UInt8>) -> Int? {
        let isNegative = sign(&rest)
        let digits = rest.prefix { $0.digit != nil }
        guard digits.count <= 3, let power = digits.wholeNumber else { return nil }
        rest = rest.dropFirst(digits.count)
        return isNegative ? -power : power
    }
}

extension Decimal {
    /// Formats a count of 10^-`decimals` without an exponent or trailing zeros.
    static func text(_ count: Int64, decimals: Int) -> String {
        guard decimals > 0 else { return "\(count)" }
        let digits = Int(count).padded(to: decimals + 1)
        let whole = digits.dropLast(decimals)
        var fraction = digits.suffix(decimals)
        while fraction.hasSuffix("0") { fraction.removeLast() }
        return fraction.isEmpty ? String(whole) : "\(whole).\(fraction)"
    }

    /// The count of an altitude, or nil if it is beyond ``ImportedFile/altitudeLimit``.
    var altitude: Int64? {
        count(decimals: Channel.altitude.decimals)
            .flatMap { $0.magnitude <= ImportedFile.altitudeLimit ? $0 : nil }
    }
}

extension Coordinate {
    /// Creates a position from degrees, or returns nil if one is missing or out of range.
    init?(latitude: Decimal?, longitude: Decimal?) {
        guard let north = latitude?.count(decimals: Channel.latitude.decimals),
            let east = longitude?.count(decimals: Channel.longitude.decimals)
        else { return nil }
        self.init(latitude: north, longitude: east)
    }
}

extension Collection<UInt8> {
    /// The number that 1 to 6 ASCII digits spell, or nil.
    var wholeNumber: Int? {
        guard 1...6 ~= count else { return nil }
        var number = 0
        for character in self {
            guard let digit = character.digit else { return nil }
            number = number * 10 + digit
        }
        return number
    }
}

extension UInt8 {
    /// The value of an ASCII digit, or nil.
    var digit: Int? {
        UInt8(ascii: "0")...UInt8(ascii: "9") ~= self ? Int(self - UInt8(ascii: "0")) : nil
    }

    /// Whether the byte is white space in XML.
    var isWhiteSpace: Bool { self == 0x20 || self == 0x0a || self == 0x0d || self == 0x09 }
}
