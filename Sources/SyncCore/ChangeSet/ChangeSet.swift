/// Changes whose signature was checked, together with the bytes that carried them.
///
/// There is no way to make one from bytes but opening them.
public struct ChangeSet: Sendable {
    /// What the header says.
    package let header: Header
    /// The name in chains, receipts and lists: the SHA-256 of the inner object.
    package let hash: Digest
    /// The cells, ascending by key.
    public let changes: [Change]

    /// Opens what a member wrote: the space key's MAC, then the body's hash.
    ///
    /// The outer MAC is the server's to check; readers do not hold each other's device keys.
    package init(
        opening upload: Upload,
        body: [UInt8],
        with keys: SpaceKeys
    ) throws(ChangeSetError) {
        guard let key = keys.macKey(epoch: upload.inner.keyEpoch) else {
            throw .unknownKeyEpoch(upload.inner.keyEpoch)
        }
        guard upload.inner.verifies(with: key, for: .space) else { throw .badMAC }
        try self.init(verified: upload, body: body)
    }

    /// Opens what a device sent: its MAC, then the body's hash.
    ///
    /// For the server, which holds no space key.
    package init(
        relaying upload: Upload,
        body: [UInt8],
        from device: DeviceKeys
    ) throws(ChangeSetError) {
        guard let key = device.macKey(epoch: upload.outer.keyEpoch) else {
            throw .unknownKeyEpoch(upload.outer.keyEpoch)
        }
        guard upload.outer.verifies(with: key, for: .device) else { throw .badMAC }
        try self.init(verified: upload, body: body)
    }

    private init(verified upload: Upload, body: [UInt8]) throws(ChangeSetError) {
        header = upload.header
        hash = upload.hash
        if let key = header.unknownCriticalKey { throw .unknownCriticalKey(key) }
        guard !header.isEncrypted else { throw .unknownCriticalKey(12) }
        guard body.count == header.bodyByteCount, Digest(of: body) == header.bodyHash else {
            throw .wrongBody
        }
        changes = try Body.decode(try header.decoded(body), for: header)
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

/// Why bytes are not a change set.
public enum ChangeSetError: Error, Hashable {
    /// Not the CBOR that the format asks for.
    case encoding(CBORError)
    /// A header without one of its fields, or with one out of range.
    case incomplete
    /// A header of another version of the format.
    case unknownFormat(UInt64)
    /// Not signed with this key, or altered.
    case badMAC
    /// Signed with a key that this reader does not hold.
    case unknownKeyEpoch(UInt64)
    /// A header key that must be understood and is not.
    case unknownCriticalKey(UInt64)
    /// A body that is not the one that the header names.
    case wrongBody
    /// A body with another number of cells than the header says.
    case wrongCellCount(Int)
    /// A body that refers to other chunks than the header says.
    case wrongChunks
    /// A part above its limit.
    case tooLarge(Part, byteCount: Int)
    /// More cells than a body may hold.
    case tooManyCells(Int)

    /// A part of a change set that has a limit in bytes.
    public enum Part: String, Sendable {
        /// The signed header.
        case header
        /// The body as sent.
        case body
        /// The body when decompressed.
        case decodedBody
    }
}
