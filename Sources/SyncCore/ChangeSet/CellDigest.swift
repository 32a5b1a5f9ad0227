/// Computes the summands of cells in a fingerprint.
///
/// The summand is the SHA-256 of the deterministic CBOR of `[collection, row, field, stamp time,
/// replica, value]`. The buffer and the encoded name of the row are kept from cell to cell.
package struct CellDigest {
    private var encoder = CBOREncoder()
    private var name: [UInt8] = []

    package init() {}

    /// Begins the cells of a row; the field of the name is ignored.
    package mutating func begin(_ row: Key) {
        encoder.restart(with: [])
        encoder.array(6)
        encoder.text(row.collection)
        encoder.row(row.row)
        name = encoder.bytes
    }

    /// Returns the summand of a cell of the row.
    package mutating func callAsFunction(
        _ field: Text,
        _ stamp: Stamp,
        _ value: ArraySlice<UInt8>
    ) -> Fingerprint {
        let words = Digest.words(of: preimage(field, stamp, value))
        return Fingerprint(words[0], words[1], words[2], words[3])
    }

    fileprivate mutating func preimage(
        _ field: Text,
        _ stamp: Stamp,
        _ value: ArraySlice<UInt8>
    ) -> [UInt8] {
        encoder.restart(with: name)
        encoder.text(field)
        encoder.unsigned(stamp.time)
        encoder.identifier(stamp.replica)
        encoder.encoded(value)
        return encoder.bytes
    }
}

extension Change {
    /// The cell's summand in the fingerprint.
    package var digest: Fingerprint {
        var digest = CellDigest()
        digest.begin(key)
        return digest(key.field, cell.stamp, cell.encoded[...])
    }

    /// The bytes that the fingerprint hashes.
    package var fingerprintPreimage: [UInt8] {
        var digest = CellDigest()
        digest.begin(key)
        return digest.preimage(key.field, cell.stamp, cell.encoded[...])
    }
}
