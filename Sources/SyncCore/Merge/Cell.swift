/// The value of one field and the stamp of its last write.
///
/// Cells are totally ordered and merging takes the greater one: a last-writer-wins register is a
/// maximum, so merging is commutative, associative and idempotent.
public struct Cell: Hashable, Sendable {
    /// When and by which replica the value was written.
    public let stamp: Stamp

    /// The value as deterministic CBOR; the bytes decide ties, so they are kept as they came.
    public let encoded: [UInt8]

    package init(stamp: Stamp, encoded: [UInt8]) {
        self.stamp = stamp
        self.encoded = encoded
    }

    package init(stamp: Stamp, value: Value) {
        self.init(stamp: stamp, encoded: value.encoded)
    }

    /// The value; null where it was unset.
    public var value: Value {
        (try? Value(decoding: encoded)) ?? .null
    }

    /// Whether the cell was unset.
    public var isUnset: Bool { encoded == [0xf6] }

    /// Takes `other` if it is greater.
    public mutating func merge(_ other: Cell) {
        self = max(self, other)
    }
}

extension Cell: Comparable {
    /// Orders by stamp, then by the bytes of the value: a cloned device may repeat a stamp, and
    /// replicas must still agree.
    public static func < (left: Cell, right: Cell) -> Bool {
        left.stamp == right.stamp
            ? left.encoded.lexicographicallyPrecedes(right.encoded)
            : left.stamp < right.stamp
    }
}
