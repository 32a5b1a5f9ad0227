/// A cell on its way into a replica.
public struct Change: Hashable, Sendable {
    /// Where it goes.
    public let key: Key
    /// What was written there, when and by whom.
    public let cell: Cell

    package init(key: Key, cell: Cell) {
        self.key = key
        self.cell = cell
    }

    /// What the fingerprint hashes: the deterministic CBOR of
    /// `[collection, row, field, stamp time, replica, value]`.
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
