import SyncCore

/// Chunks of every kind, and references to them.
///
/// How well the content is compressed is the encoder's choice, so contents are compared, not
/// chunks.
enum ChunkTarget {
    static func check(_ input: [UInt8]) {
        checkReference(input)
        guard let content = try? Chunk.content(of: input) else { return }
        precondition(input.count <= Chunk.byteLimit, "chunks have a limit")
        switch content {
        case .samples(let samples): check(samples, input)
        case .file(let piece):
            precondition(1...Chunk.contentLimit ~= piece.count, "a piece has bytes")
        case .manifest(let manifest):
            precondition(plain(manifest.chunk) == plain(input), "a manifest has one content")
        case .wraps(let wraps):
            precondition(plain(wraps.chunk) == plain(input), "wraps have one content")
        case .rows(let snapshot): check(snapshot, input)
        case .unknown: break
        }
    }

    private static func check(_ samples: Samples, _ input: [UInt8]) {
        precondition((1...Chunk.sampleLimit).contains(samples.count), "chunks have samples")
        let room = samples.reduce(0) { $0 + $1.readings.count }
        let byteCount = Chunk.contentByteCount(of: input) ?? 0
        precondition(room <= byteCount, "each reading has a byte of content")
        let packed = Chunk.pack(samples)
        precondition(plain(packed) == plain(input), "samples have one content")
        precondition((try? Chunk.unpack(packed)) == samples, "samples come back")
        let reference = ChunkReference(to: packed, ChunkSummary(of: samples))
        let decoded = ChunkReference(reference.value)
        precondition(decoded?.value == reference.value, "a reference comes back")
        precondition(decoded?.summary != nil, "its summary comes back")
    }

    private static func check(_ snapshot: RowSnapshot, _ input: [UInt8]) {
        let count = snapshot.groups.reduce(0) { $0 + $1.count }
        precondition(1...Limits.cellLimit ~= count, "a snapshot has cells")
        guard let again = RowSnapshot.chunk(of: snapshot.groups.flatMap(\.changes)) else { return }
        precondition(plain(again) == plain(input), "cells have one content")
    }

    /// Any value, too, may be a reference.
    private static func checkReference(_ input: [UInt8]) {
        guard let value = try? Value(decoding: input), let reference = ChunkReference(value)
        else { return }
        let again = ChunkReference(reference.value)
        precondition(again?.hash == reference.hash, "a reference comes back")
        precondition(again?.summary?.bounds == reference.summary?.bounds, "bounds come back")
    }

    private static func plain(_ chunk: [UInt8]) -> [UInt8]? {
        let body = Array(chunk.dropFirst())
        guard chunk.first.map({ $0 & 0x0f }) == 1 else { return body }
        return try? Zstandard.decompress(body, byteLimit: Chunk.contentLimit)
    }
}
