/// A cell on its way into a replica.
public struct Change: Hashable, Sendable {
    /// The place of the cell.
    public let key: Key
    /// The written value and its stamp.
    public let cell: Cell

    package init(key: Key, cell: Cell) { (self.key, self.cell) = (key, cell) }

    /// The bytes that the fingerprint hashes.
    ///
    /// They are the deterministic CBOR of `[collection, row, field, stamp time, replica, value]`.
    package var fingerprintPreimage: [UInt8] {
        var encoder = CBOREncoder()
        encoder.array(6)
        encoder.text(key.collection)
        encoder.row(key.row)
        encoder.text(key.field)
        encoder.unsigned(cell.stamp.time)
        encoder.bytes(cell.stamp.replica.bytes)
        encoder.encoded(cell.encoded)
        return encoder.bytes
    }
}
