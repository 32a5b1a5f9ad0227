/// A sum that finds damaged bytes in a database: the first four bytes of a SHA-256.
///
/// It is no protection against a forger, who can compute it as well.
package enum Checksum {
    static let byteCount = 4

    /// Returns the sum of the first bytes of an array.
    static func of(first count: Int, of bytes: [UInt8]) -> UInt32 {
        UInt32(Digest.words(ofFirst: count, of: bytes)[0] >> 32)
    }

    package static func of(_ bytes: [UInt8]) -> UInt32 { of(first: bytes.count, of: bytes) }

    /// Returns the sum of the values of a record.
    package static func of(record numbers: [UInt64], _ bytes: [UInt8] = []) -> Int64 {
        Int64(of(numbers.flatMap(\.bigEndianBytes) + bytes))
    }
}

extension [UInt8] {
    /// Appends the sum of all bytes, most significant byte first.
    mutating func appendSum() {
        append(contentsOf: UInt64(Checksum.of(self)).bigEndianBytes.suffix(Checksum.byteCount))
    }

    /// The index of the sum at the end, or nil if the bytes before it have another one.
    var endBeforeSum: Int? {
        let end = count - Checksum.byteCount
        guard end >= 0, UInt64(bigEndian: self[end...]) == Checksum.of(first: end, of: self)
        else { return nil }
        return end
    }
}
