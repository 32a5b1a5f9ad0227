/// A 256-bit digest of a space's base: the sum, mod 2^256, of the SHA-256 of each cell.
///
/// Because it is a sum, a cell is taken out or put in without looking at the others. It finds
/// faults; it proves nothing against an attacker.
public struct Fingerprint: Hashable, Sendable {
    private var high: UInt128
    private var low: UInt128

    /// The fingerprint of nothing.
    public init() {
        high = 0
        low = 0
    }

    /// Reads 32 bytes, big-endian; nil for any other count.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 32,
            let high = Identifier(bytes: bytes.prefix(16)),
            let low = Identifier(bytes: bytes.suffix(16))
        else { return nil }
        self.high = high.number
        self.low = low.number
    }

    /// The 32 bytes, big-endian.
    public var bytes: [UInt8] {
        Identifier(number: high).bytes + Identifier(number: low).bytes
    }

    /// Puts in a cell by its digest of 32 bytes.
    package mutating func add(_ digest: Fingerprint) {
        let (sum, carry) = low.addingReportingOverflow(digest.low)
        low = sum
        high = high &+ digest.high &+ (carry ? 1 : 0)
    }

    /// Takes out a cell by its digest of 32 bytes.
    package mutating func subtract(_ digest: Fingerprint) {
        let (difference, borrow) = low.subtractingReportingOverflow(digest.low)
        low = difference
        high = high &- digest.high &- (borrow ? 1 : 0)
    }
}
