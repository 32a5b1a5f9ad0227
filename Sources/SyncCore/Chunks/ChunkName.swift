/// A chunk's hash and size, so that a reader knows the size before the download.
package struct ChunkName: Hashable, Sendable {
    package let hash: Digest
    package let byteCount: Int
}

extension ChunkName {
    init(from decoder: inout CBORDecoder) throws(CBORError) {
        try decoder.array(count: 2)
        (hash, byteCount) = (try decoder.digest(), try decoder.count())
    }

    func encode(into encoder: inout CBOREncoder) {
        encoder.array(2)
        encoder.bytes(hash.bytes)
        encoder.unsigned(byteCount)
    }
}

extension CBORDecoder {
    package mutating func digest() throws(CBORError) -> Digest {
        let start = offset
        guard let digest = Digest(bytes: try bytes()) else { throw .unexpected(offset: start) }
        return digest
    }
}
