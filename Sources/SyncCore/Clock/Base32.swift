/// Lower-case Crockford base32, most significant bit first.
enum Base32 {
    static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)

    /// Encodes a multiple of 5 bytes as 8 characters for each 5.
    static func encode(_ bytes: [UInt8]) -> String {
        precondition(bytes.count.isMultiple(of: 5), "base32 without padding has groups of 5 bytes")
        let characters = stride(from: 0, to: bytes.count, by: 5).flatMap { start in
            let bits = bytes[start..<start + 5].reduce(0) { $0 << 8 | UInt64($1) }
            return (0..<8).map { alphabet[Int(bits >> (35 - 5 * UInt64($0))) & 31] }
        }
        return String(decoding: characters, as: UTF8.self)
    }

    /// Decodes as leniently as Crockford base32 permits; nil for any other text.
    static func decode(_ text: String) -> [UInt8]? {
        let digits = text.utf8.compactMap(digit)
        guard digits.count == text.utf8.count, digits.count.isMultiple(of: 8) else { return nil }
        return stride(from: 0, to: digits.count, by: 8).flatMap { start in
            let bits = digits[start..<start + 8].reduce(0) { $0 << 5 | UInt64($1) }
            return (0..<5).map { UInt8(truncatingIfNeeded: bits >> (32 - 8 * UInt64($0))) }
        }
    }

    /// Returns the value of a digit: upper case counts as lower, `o` as 0, `i` and `l` as 1.
    static func digit(_ character: UInt8) -> Int? {
        switch Unicode.Scalar(character) {
        case "o", "O": 0
        case "i", "I", "l", "L": 1
        case "A"..."Z": alphabet.firstIndex(of: character | 0x20)
        default: alphabet.firstIndex(of: character)
        }
    }
}
