/// A change set to push: the upload, its body and the chunks that it names.
package struct PushItem: Equatable, Sendable {
    package var upload: [UInt8]
    /// The body as sent; nil if a set is refilled whose body was dropped.
    package var body: [UInt8]?
    /// The bytes of chunks, in the order of the header.
    package var chunks: [[UInt8]]
    /// The device's signature over this set as the head of its replica (``SignedHead``).
    package var headSignature: Signature?

    package init(
        upload: [UInt8],
        body: [UInt8]?,
        chunks: [[UInt8]] = [],
        headSignature: Signature? = nil
    ) {
        self.upload = upload
        self.body = body
        self.chunks = chunks
        self.headSignature = headSignature
    }

    package var encoded: [UInt8] {
        CBOREncoder.map { map in
            map.add(1, upload) { $0.bytes($1) }
            map.add(2, body) { $0.bytes($1) }
            map.add(3, list: chunks) { $0.bytes($1) }
            map.add(8, headSignature) { $0.bytes($1.bytes) }
        }
    }

    package init(decoding bytes: ArraySlice<UInt8>) throws(CBORError) {
        var decoder = CBORDecoder(bytes)
        try decoder.openMap(reserved: 32)
        let upload = try decoder.has(1) ? Array(decoder.bytes()) : nil
        body = try decoder.has(2) ? Array(decoder.bytes()) : nil
        chunks = try decoder.has(3) ? decoder.byteStrings() : []
        headSignature = try decoder.has(8) ? decoder.signature() : nil
        try decoder.closeMap()
        try decoder.finish()
        guard let upload else { throw .unexpected(offset: 0) }
        self.upload = upload
    }
}
