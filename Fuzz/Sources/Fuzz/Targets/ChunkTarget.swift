import SyncCore

/// Chunks of samples.
///
/// How well the payload is compressed is the packer's choice, so payloads are compared, not chunks.
enum ChunkTarget {
    static func check(_ input: [UInt8]) {
        guard let samples = try? Chunk.unpack(input) else { return }
        precondition(input.count <= Chunk.byteLimit, "chunks have a limit")
        precondition((1...Chunk.sampleLimit).contains(samples.count), "chunks have samples")
        let room = samples.reduce(0) { $0 + $1.readings.count }
        let byteCount = Chunk.payloadByteCount(of: input) ?? 0
        precondition(room <= byteCount, "each reading has a byte of payload")
        let packed = Chunk.pack(samples)
        precondition(payload(of: packed) == payload(of: input), "samples have one payload")
        precondition((try? Chunk.unpack(packed)) == samples, "samples come back")
        let reference = ChunkReference(to: packed, ChunkSummary(of: samples))
        precondition(ChunkReference(reference.value) == reference, "a reference comes back")
    }

    private static func payload(of chunk: [UInt8]) -> [UInt8]? {
        let body = Array(chunk.dropFirst())
        guard chunk.first == 1 else { return body }
        return try? Zstandard.decompress(body, byteLimit: Chunk.payloadLimit)
    }
}
