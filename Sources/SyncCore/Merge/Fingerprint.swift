/// A 256-bit digest of a space's base: the sum, mod 2^256, of the SHA-256 of each cell.
///
/// Because it is a sum, a cell is taken out or put in without looking at the others. It finds
/// faults; it proves nothing against an attacker.
public struct Fingerprint: Hashable, Sendable {
    /// Four words, the most significant first.
    private var words: SIMD4<UInt64>

    /// The fingerprint of nothing.
    public init() {
        words = .zero
    }

    /// Reads 32 bytes, big-endian; nil for any other count.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 32 else { return nil }
        words = .zero
        for (index, byte) in bytes.enumerated() {
            words[index / 8] = words[index / 8] << 8 | UInt64(byte)
        }
    }

    /// The 32 bytes, big-endian.
    public var bytes: [UInt8] {
        words.indices.flatMap { words[$0].bigEndianBytes }
    }

    /// Puts in a cell by its digest of 32 bytes.
    package mutating func add(_ digest: Fingerprint) {
        var carry: UInt64 = 0
        for index in words.indices.reversed() {
            let (sum, first) = words[index].addingReportingOverflow(digest.words[index])
            let (total, second) = sum.addingReportingOverflow(carry)
            words[index] = total
            carry = first || second ? 1 : 0
        }
    }

    /// Takes out a cell by its digest of 32 bytes.
    package mutating func subtract(_ digest: Fingerprint) {
        var borrow: UInt64 = 0
        for index in words.indices.reversed() {
            let (rest, first) = words[index].subtractingReportingOverflow(digest.words[index])
            let (total, second) = rest.subtractingReportingOverflow(borrow)
            words[index] = total
            borrow = first || second ? 1 : 0
        }
    }
}
