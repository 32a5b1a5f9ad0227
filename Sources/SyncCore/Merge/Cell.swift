/// The value of one field and the stamp of its last write: a last-writer-wins register.
///
/// Cells are totally ordered, and merging takes the greater one. So merging is commutative,
/// associative and idempotent.
public struct Cell: Hashable, Sendable {
    /// The stamp of the write.
    public let stamp: Stamp

    /// The value as deterministic CBOR, kept verbatim because the bytes break ties.
    public let encoded: [UInt8]

    package init(stamp: Stamp, encoded: [UInt8]) { (self.stamp, self.encoded) = (stamp, encoded) }

    package init(stamp: Stamp, value: Value) { self.init(stamp: stamp, encoded: value.encoded) }

    /// The decoded value; null if the cell is unset or its bytes do not decode.
    public var value: Value { (try? Value(decoding: encoded)) ?? .null }

    /// Whether the cell is unset: the value is the CBOR null.
    public var isUnset: Bool { encoded == [0xf6] }

    /// Replaces this cell with `other` if that is greater.
    public mutating func merge(_ other: Cell) { self = max(self, other) }
}

extension Cell: Comparable {
    /// Orders by stamp, then by the value's bytes.
    ///
    /// A cloned device may issue the same stamp again, and replicas must still agree.
    public static func < (left: Cell, right: Cell) -> Bool {
        left.stamp == right.stamp
            ? left.encoded.lexicographicallyPrecedes(right.encoded)
            : left.stamp < right.stamp
    }
}
