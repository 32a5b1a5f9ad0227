/// A 128-bit id of a user, device, replica, space, epoch or row.
///
/// The text form is 26 characters of lower-case Crockford base32, most significant bit first; the
/// first character carries 3 bits. On disk and on the wire it is 16 bytes, big-endian.
public struct Identifier: Hashable, Comparable, Sendable {
    // Two words instead of a UInt128: an argument of that type can crash a call through a protocol
    // to an actor (swift 6.3.1).
    private let high: UInt64
    private let low: UInt64

    /// The id as a number.
    public var number: UInt128 { UInt128(high) << 64 | UInt128(low) }

    /// The zero id, which means "none" on the wire.
    public static let zero = Identifier(number: 0)

    /// Creates the identifier with this number.
    public init(number: UInt128) {
        high = UInt64(truncatingIfNeeded: number >> 64)
        low = UInt64(truncatingIfNeeded: number)
    }

    /// Creates a random identifier.
    public static func random(using generator: inout some RandomNumberGenerator) -> Identifier {
        let high = UInt128(generator.next())
        return Identifier(number: high << 64 | UInt128(generator.next()))
    }

    /// Decodes 16 bytes, big-endian; nil for any other count.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 16 else { return nil }
        high = UInt64(bigEndian: bytes.prefix(8))
        low = UInt64(bigEndian: bytes.dropFirst(8))
    }

    /// The 16 bytes, big-endian.
    public var bytes: [UInt8] {
        unsafe withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { unsafe Array($0) }
    }

    /// Orders by number, which is also the order of the bytes and of the text form.
    public static func < (left: Identifier, right: Identifier) -> Bool {
        left.high == right.high ? left.low < right.low : left.high < right.high
    }
}

extension Identifier: CustomStringConvertible {
    /// The text form: 26 characters of lower-case Crockford base32.
    public var description: String {
        let characters = (0..<26).map { index in
            Base32.alphabet[Int(truncatingIfNeeded: number >> (5 * (25 - index))) & 31]
        }
        return String(decoding: characters, as: UTF8.self)
    }

    /// Parses the text form as leniently as Crockford base32 permits, without hyphens.
    ///
    /// Accepts upper case, and reads `o` as 0 and `i` and `l` as 1. Nil for any other text and for
    /// a value above 128 bits.
    public init?(_ text: String) {
        guard text.utf8.count == 26 else { return nil }
        var number: UInt128 = 0
        for (index, character) in text.utf8.enumerated() {
            guard let digit = Base32.digit(character), index > 0 || digit < 8 else { return nil }
            number = number << 5 | UInt128(digit)
        }
        self.init(number: number)
    }
}
