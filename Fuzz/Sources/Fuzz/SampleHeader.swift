import SyncCore

extension Header {
    /// A header as a device makes it; what belongs to a body or to a chain is put in later.
    ///
    /// - Parameter chunks: the hashes of chunks of one byte.
    static func sample(
        space: Identifier,
        device: Identifier,
        naming chunks: [Digest] = []
    ) -> Header {
        var encoder = CBOREncoder()
        encoder.map(chunks.isEmpty ? 10 : 11)
        encoder.unsigned(0)
        encoder.unsigned(Header.format)
        for (key, id) in [space, device, Identifier(number: 3)].enumerated() {
            encoder.unsigned(key + 1)
            encoder.bytes(id.bytes)
        }
        encoder.unsigned(4)
        encoder.unsigned(1)
        encoder.unsigned(5)
        encoder.bytes(Digest.zero.bytes)
        encoder.unsigned(6)
        encoder.encoded([0x82, 0, 0])
        encoder.unsigned(7)
        encoder.unsigned(0)
        encoder.unsigned(8)
        encoder.array(3)
        encoder.bytes(Digest.zero.bytes)
        encoder.encoded([0, 0])
        encoder.unsigned(9)
        encoder.array(4)
        encoder.bytes(Identifier.zero.bytes)
        encoder.unsigned(0)
        encoder.bytes(Digest.zero.bytes)
        encoder.unsigned(0)
        if !chunks.isEmpty {
            encoder.unsigned(10)
            encoder.array(chunks) {
                $0.array(2)
                $0.bytes($1.bytes)
                $0.unsigned(1)
            }
        }
        guard let header = try? Header(decoding: encoder.bytes[...]) else {
            preconditionFailure("the header has all its fields")
        }
        return header
    }
}
