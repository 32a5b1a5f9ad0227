/// A verified change set.
///
/// Each initialiser verifies the body's hash, and a MAC or that the server's log has the set.
public struct ChangeSet: Sendable {
    package let header: Header
    /// The set's hash, which names it in chains, receipts and lists: the SHA-256 of the inner
    /// object.
    package let hash: Digest
    package let cells: CellColumns
    /// The changes, ascending by key; each call makes them anew.
    public var changes: [Change] { cells.changes }

    /// Opens a set for a member: verifies the space MAC, then the body's hash.
    ///
    /// Only the server verifies the outer MAC, because members do not hold each other's device
    /// keys.
    package init(
        opening upload: Upload,
        body: [UInt8],
        with keys: SpaceKeys
    ) throws(ChangeSetError) {
        guard let inner = upload.macs?.inner else { throw .incomplete }
        guard let key = keys.macKey(epoch: inner.keyEpoch) else {
            throw .unknownKeyEpoch(inner.keyEpoch)
        }
        guard inner.verifies(with: key, for: .space) else { throw .badMAC }
        try self.init(verified: upload, body: body)
    }

    /// Opens a set for the server: verifies the device MAC, then the body's hash.
    ///
    /// The server holds no space key, so it cannot verify the space MAC.
    package init(
        relaying upload: Upload,
        body: [UInt8],
        from device: DeviceKeys
    ) throws(ChangeSetError) {
        guard let outer = upload.macs?.outer else { throw .incomplete }
        guard let key = device.macKey(epoch: outer.keyEpoch) else {
            throw .unknownKeyEpoch(outer.keyEpoch)
        }
        guard outer.verifies(with: key, for: .device) else { throw .badMAC }
        try self.init(verified: upload, body: body)
    }

    /// Opens a set of a log whose chain hash was compared: verifies the body's hash.
    ///
    /// The server verified the set when it received it, and the chain covers the set's hash.
    package init(logged upload: Upload, body: [UInt8]) throws(ChangeSetError) {
        try self.init(verified: upload, body: body)
    }

    private init(verified upload: Upload, body: [UInt8]) throws(ChangeSetError) {
        header = upload.header
        hash = upload.hash
        if let key = header.unknownCriticalKey { throw .unknownCriticalKey(key) }
        guard !header.isEncrypted else { throw .unknownCriticalKey(12) }
        guard header.isBody(body) else { throw .wrongBody }
        cells = try Body.decode(try header.decoded(body), for: header)
    }
}

extension Header {
    fileprivate func decoded(_ body: [UInt8]) throws(ChangeSetError) -> [UInt8] {
        let plain: [UInt8]?
        switch encoding {
        case .plain: plain = body
        case .zstandard: plain = try? Zstandard.decompress(body, byteLimit: decodedByteCount)
        }
        guard let plain, plain.count == decodedByteCount else { throw .wrongBody }
        return plain
    }
}

/// Why bytes are not a valid change set.
public enum ChangeSetError: Error, Hashable {
    /// What the server had was damaged, and no device has brought it yet.
    case lost
    /// The bytes are not the expected deterministic CBOR.
    case encoding(CBORError)
    /// The header lacks a required field, or a field is out of range.
    case incomplete
    /// The header has another version of the format.
    case unknownFormat(UInt64)
    /// The MAC does not verify: the set was altered or signed with another key.
    case badMAC
    /// The set is signed with a key that this reader does not hold.
    case unknownKeyEpoch(UInt64)
    /// The header marks a key as critical that this version does not support.
    case unknownCriticalKey(UInt64)
    /// The body does not match the header's hash and sizes.
    case wrongBody
    /// The body has another number of cells than the header states.
    case wrongCellCount(Int)
    /// The body has two cells of one row and field.
    case repeatedCell
    /// The body names other chunks than the header.
    case wrongChunks
    /// The set names more control sets than this reader has merged.
    case unknownControls(UInt64)
    /// The device had no right to write when it sealed the set.
    case noCard
    /// The set lies beyond the last one that counts of a revoked device.
    case beyondCut
    /// The role of its author did not allow what the set writes.
    case notAllowed
    /// A part exceeds its limit.
    case tooLarge(Part, byteCount: Int)
    /// The header states more cells than a body may hold.
    case tooManyCells(Int)

    /// Whether a newer program wrote what this one cannot read.
    var needsNewerProgram: Bool {
        if case .unknownFormat = self { true } else { false }
    }

    /// A part of a change set with a limit in bytes.
    public enum Part: String, Sendable {
        /// The signed header.
        case header
        /// The body as sent, possibly compressed.
        case body
        /// The decompressed body.
        case decodedBody
    }
}
