/// The secret of a space's key epoch, encrypted for each of its devices and open invitations.
///
/// The content is deterministic CBOR: `[epoch, ephemeral key, [+ [recipient, wrap]]]`, strictly
/// ascending by recipient.
package struct KeyWraps: Hashable, Sendable {
    /// The secret, encrypted for one device or invitation.
    package struct Entry: Hashable, Sendable {
        package let recipient: Identifier
        /// 48 bytes.
        package let wrap: [UInt8]
    }

    /// The number of the key epoch.
    package let epoch: UInt64
    /// The public key that was drawn for these wraps alone.
    package let ephemeralKey: PublicKey
    /// The wraps, ascending by recipient.
    package let entries: [Entry]

    /// The most wraps in a chunk.
    package static let entryLimit = 3500
    private static let wrapByteCount = 48

    /// Creates a list of 1 to ``entryLimit`` wraps, one for each recipient.
    package init(epoch: UInt64, ephemeralKey: PublicKey, entries: [Entry]) {
        precondition(1...Self.entryLimit ~= entries.count, "a chunk has 1 to 3,500 wraps")
        (self.epoch, self.ephemeralKey) = (epoch, ephemeralKey)
        self.entries = entries.sorted { $0.recipient < $1.recipient }
    }

    /// Returns the chunk that holds the wraps.
    package var chunk: [UInt8] {
        var encoder = CBOREncoder()
        encoder.array(3)
        encoder.unsigned(epoch)
        encoder.bytes(ephemeralKey.bytes)
        encoder.array(entries) { encoder, entry in
            encoder.array(2)
            encoder.bytes(entry.recipient.bytes)
            encoder.bytes(entry.wrap)
        }
        return Chunk.encode(encoder.bytes, as: .wraps)
    }

    /// Decodes an untrusted chunk.
    package init(chunk: [UInt8]) throws(ChunkError) {
        self = try Chunk.read(chunk, as: .wraps) { try Self(from: &$0) }
    }

    private init(from decoder: inout CBORDecoder) throws {
        try decoder.array(count: 3)
        epoch = try decoder.unsigned()
        ephemeralKey = try decoder.publicKey()
        var entries: [Entry] = []
        for _ in 0..<(try decoder.nonEmptyArray()) {
            try decoder.array(count: 2)
            let recipient = try decoder.identifier()
            let wrap = Array(try decoder.bytes(count: Self.wrapByteCount))
            if let last = entries.last, recipient <= last.recipient { throw ChunkError.malformed }
            guard entries.count < Self.entryLimit else { throw ChunkError.malformed }
            entries.append(Entry(recipient: recipient, wrap: wrap))
        }
        self.entries = entries
    }
}
