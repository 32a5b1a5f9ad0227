/// The two base64 alphabets of RFC 4648, decoded strictly.
///
/// The decoder rejects line breaks, non-zero trailing bits and anything after the padding, so each
/// byte string has exactly one encoding.
package enum Base64 {
    /// The alphabet with `+` and `/`, padded (section 4).
    case standard
    /// The URL-safe alphabet with `-` and `_`, unpadded (section 5).
    case url

    private static let letters = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8
    )

    private var alphabet: [UInt8] {
        switch self {
        case .standard: Self.letters + Array("+/".utf8)
        case .url: Self.letters + Array("-_".utf8)
        }
    }

    package func encode(_ bytes: [UInt8]) -> String {
        let alphabet = alphabet
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(0) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
            for index in 0...group.count {
                text.append(alphabet[Int(bits >> UInt32(18 - 6 * index)) & 63])
            }
            if self == .standard { text += Array(repeating: padding, count: 3 - group.count) }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Decodes the output of ``encode(_:)``; returns nil for any other text.
    package func decode(_ text: some StringProtocol) -> [UInt8]? {
        let digits = text.utf8.prefix { $0 != padding }
        let alphabet = alphabet
        var bytes: [UInt8] = []
        var bits: UInt32 = 0
        var bitCount: UInt32 = 0
        for character in digits {
            guard let digit = alphabet.firstIndex(of: character) else { return nil }
            bits = bits << 6 | UInt32(digit)
            bitCount += 6
            guard bitCount >= 8 else { continue }
            bitCount -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> bitCount))
            bits &= 1 << bitCount - 1
        }
        // Catches non-zero trailing bits, a lone digit and wrong padding.
        return encode(bytes) == text ? bytes : nil
    }

    private var padding: UInt8 { UInt8(ascii: "=") }
}
