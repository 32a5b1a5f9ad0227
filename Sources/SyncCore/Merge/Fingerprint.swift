/// A 256-bit digest of a space's base: the sum, mod 2^256, of SHA-256 over each cell.
///
/// Because it is a sum, a cell can be added or removed without reading the others. It detects
/// faults, but proves nothing against an attacker.
public struct Fingerprint: Hashable, Sendable {
    // Four words, most significant first, instead of a SIMD4: a value with an alignment of 32 bytes
    // that lives across an `await` overflows its frame (swiftlang/swift#91639).
    private var first: UInt64 = 0
    private var second: UInt64 = 0
    private var third: UInt64 = 0
    private var fourth: UInt64 = 0

    /// Creates the fingerprint of an empty base: zero.
    public init() {}

    /// Creates a fingerprint from its words, most significant first.
    package init(_ first: UInt64, _ second: UInt64, _ third: UInt64, _ fourth: UInt64) {
        (self.first, self.second, self.third, self.fourth) = (first, second, third, fourth)
    }

    /// Decodes 32 bytes, big-endian; nil for any other count.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 32 else { return nil }
        let words = (0..<4).map { UInt64(bigEndian: bytes.dropFirst(8 * $0).prefix(8)) }
        (first, second, third, fourth) = (words[0], words[1], words[2], words[3])
    }

    /// The 32 bytes, big-endian.
    public var bytes: [UInt8] { [first, second, third, fourth].flatMap(\.bigEndianBytes) }

    /// Adds the digest of a cell.
    package mutating func add(_ digest: Fingerprint) {
        var carry: UInt64 = 0
        fourth.add(digest.fourth, carry: &carry)
        third.add(digest.third, carry: &carry)
        second.add(digest.second, carry: &carry)
        first.add(digest.first, carry: &carry)
    }

    /// Subtracts the digest of a cell: adds its two's complement.
    package mutating func subtract(_ digest: Fingerprint) {
        var carry: UInt64 = 1
        fourth.add(~digest.fourth, carry: &carry)
        third.add(~digest.third, carry: &carry)
        second.add(~digest.second, carry: &carry)
        first.add(~digest.first, carry: &carry)
    }
}

extension UInt64 {
    fileprivate mutating func add(_ other: UInt64, carry: inout UInt64) {
        let (sum, isOver) = addingReportingOverflow(other)
        let (total, isOverAgain) = sum.addingReportingOverflow(carry)
        self = total
        carry = isOver || isOverAgain ? 1 : 0
    }
}
