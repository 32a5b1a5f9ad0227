/// A code on paper that is a device without a database: its keys follow from it.
///
/// The text is base32 of 16 random bytes and of the first 4 bytes of their SHA-256, in 8 groups of
/// 4 characters. The checksum tells a typing error from an unknown code.
package struct RecoveryCode: Hashable, Sendable {
    package let secret: Secret

    private static let groupCount = 8

    /// Draws a new code.
    package init(using generator: inout some RandomNumberGenerator) {
        secret = Secret.random(count: 16, using: &generator)
    }

    /// Parses a code that a person typed; nil if the text is not a code or has a typing error.
    ///
    /// Groups may be separated by anything that is no letter or digit, or not at all.
    package init?(_ typed: String) {
        let characters = typed.unicodeScalars.filter { $0.properties.isAlphabetic || $0.isDigit }
        guard typed.utf8.count <= 256, characters.count == 4 * Self.groupCount,
            let bytes = Base32.decode(String(String.UnicodeScalarView(characters))),
            bytes[16...].elementsEqual(Digest(of: bytes[..<16]).bytes.prefix(4))
        else { return nil }
        secret = Secret(bytes: Array(bytes[..<16]))
    }

    /// The keys that follow from the code.
    package var keys: KeyPairs { KeyPairs(of: secret, for: "wake/1/recovery") }
}

extension RecoveryCode: CustomStringConvertible {
    package var description: String {
        let text = Base32.encode(secret.bytes + Digest(of: secret.bytes).bytes.prefix(4))
        let characters = Array(text)
        return stride(from: 0, to: characters.count, by: 4)
            .map { String(characters[$0..<$0 + 4]) }.joined(separator: "-")
    }
}

extension Unicode.Scalar {
    fileprivate var isDigit: Bool { ("0"..."9").contains(self) }
}
