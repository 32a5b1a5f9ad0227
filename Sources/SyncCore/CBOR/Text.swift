/// Valid UTF-8 that is compared byte by byte.
///
/// Swift's `String` treats strings that differ only in normalisation as equal, so replicas would
/// disagree about which keys are the same. Everything that names replicated data is a `Text`.
public struct Text: Hashable, Comparable, Sendable {
    /// The UTF-8 bytes.
    public let utf8: [UInt8]

    /// Creates a text from a string, without normalising it.
    public init(_ string: String) { utf8 = Array(string.utf8) }

    /// Creates a text from untrusted bytes, or returns nil if they are not valid UTF-8.
    public init?(utf8 bytes: some Collection<UInt8>) {
        guard Self.isValid(bytes) else { return nil }
        utf8 = Array(bytes)
    }

    /// Creates a text from bytes that ``isValid(_:)`` accepted.
    init(validated bytes: ArraySlice<UInt8>) { utf8 = Array(bytes) }

    /// Returns whether bytes are valid UTF-8.
    static func isValid(_ bytes: some Collection<UInt8>) -> Bool {
        bytes.allSatisfy { $0 < 0x80 } || String(validating: bytes, as: UTF8.self) != nil
    }

    /// The text as a string, for display.
    public var string: String { String(decoding: utf8, as: UTF8.self) }

    /// Feeds the bytes in words: names are hashed for every cell.
    public func hash(into hasher: inout Hasher) {
        var (word, count): (UInt64, Int) = (0, 0)
        for byte in utf8 {
            word = word &<< 8 | UInt64(byte)
            count += 1
            if count & 7 == 0 { hasher.combine(word) }
        }
        hasher.combine(word)
        hasher.combine(count)
    }

    /// Orders like the encoded CBOR: shorter texts first, then byte by byte.
    public static func < (left: Text, right: Text) -> Bool {
        left.utf8.count == right.utf8.count
            ? left.utf8.lexicographicallyPrecedes(right.utf8)
            : left.utf8.count < right.utf8.count
    }
}

extension Text: ExpressibleByStringLiteral, CustomStringConvertible {
    /// Creates a text from a literal.
    public init(stringLiteral value: String) { self.init(value) }

    /// The text itself.
    public var description: String { string }
}
