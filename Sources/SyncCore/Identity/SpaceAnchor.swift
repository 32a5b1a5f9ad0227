/// A control set of a space, by which a device knows the right control chain from another one.
package struct SpaceAnchor: Hashable, Sendable {
    /// The index of the control set, below 2^32.
    package let index: UInt64
    package let hash: Digest

    package init(index: UInt64, hash: Digest) { (self.index, self.hash) = (index, hash) }

    package init?(_ value: Value) {
        guard let parts = value.list, parts.count == 2,
            let index = parts[0].integer.flatMap(UInt32.init(exactly:)),
            let bytes = parts[1].bytes, let hash = Digest(bytes: bytes)
        else { return nil }
        self.init(index: UInt64(index), hash: hash)
    }

    package var value: Value { .list([.integer(Int64(index)), .bytes(hash.bytes)]) }
}
