/// A change set to push: the upload, its body and the chunks that it names.
package struct PushItem: Equatable, Sendable {
    package var upload: [UInt8]
    /// The body as sent; nil if a set is refilled whose body was dropped.
    package var body: [UInt8]?
    /// The bytes of chunks, in the order of the header.
    package var chunks: [[UInt8]]

    package init(upload: [UInt8], body: [UInt8]?, chunks: [[UInt8]] = []) {
        self.upload = upload
        self.body = body
        self.chunks = chunks
    }

    package var encoded: [UInt8] {
        var encoder = CBOREncoder()
        encoder.map(1 + (body == nil ? 0 : 1) + (chunks.isEmpty ? 0 : 1))
        encoder.unsigned(1)
        encoder.bytes(upload)
        if let body {
            encoder.unsigned(2)
            encoder.bytes(body)
        }
        if !chunks.isEmpty {
            encoder.unsigned(3)
            encoder.array(chunks.count)
            for chunk in chunks { encoder.bytes(chunk) }
        }
        return encoder.bytes
    }

    /// Decodes exactly one item.
    package init(decoding bytes: ArraySlice<UInt8>) throws(CBORError) {
        var decoder = CBORDecoder(bytes)
        var upload: [UInt8]?
        var body: [UInt8]?
        var chunks: [[UInt8]] = []
        try decoder.integerMap { (key, decoder) throws(CBORError) in
            switch key {
            case 1: upload = Array(try decoder.bytes())
            case 2: body = Array(try decoder.bytes())
            case 3:
                for _ in 0..<(try decoder.nonEmptyArray()) {
                    chunks.append(Array(try decoder.bytes()))
                }
            case 32...: return false
            default: throw .unexpected(offset: decoder.offset)
            }
            return true
        }
        try decoder.finish()
        guard let upload else { throw .unexpected(offset: 0) }
        self.init(upload: upload, body: body, chunks: chunks)
    }
}
