import SyncCore

extension Judge {
    /// Whether and how well a chunk is compressed is its encoder's choice, so the content is what
    /// is written again.
    static func chunk(_ vector: Vector) throws -> Judgement {
        let input = try vector.bytes("input")
        let content = try Chunk.content(of: input)
        guard let kind = Chunk.kind(of: input), let again = again(content) else {
            return judgement(input, ["kind": [.text("\(input[0] >> 4)")]])
        }
        let (own, read) = try (plain(again), plain(input))
        let isSame = own == read
        return judgement(
            isSame ? input : [kind.rawValue << 4] + own,
            findings(of: content, plain: own)
        )
    }

    static func reference(_ vector: Vector) throws -> Judgement {
        let input = try vector.bytes("input")
        let value = try Value(decoding: input)
        guard let reference = ChunkReference(value) else {
            return judgement(input, ["names": [.text("none")]])
        }
        let summary = reference.summary.map { summary in
            let filtered = summary.filtered
                .map { "\($0.flagCount) \(Int(($0.metres * 10_000).rounded()))" }
            let (samples, points) = (summary.bounds.sampleCount, summary.bounds.pointCount)
            return "\(samples) \(points) \(filtered ?? "unfiltered")"
        }
        return judgement(
            input,
            [
                "names": [
                    .text("\(reference.byteCount) \(reference.kind.rawValue) \(reference.hash)")
                ],
                "summary": [.text(summary ?? "none")],
            ]
        )
    }

    private static func judgement(
        _ encoded: [UInt8],
        _ findings: [String: [Judgement.Finding]]
    ) -> Judgement {
        var judgement = Judgement(encoded: encoded)
        judgement.findings = findings
        return judgement
    }

    /// Returns a chunk with the same content, or nil for a kind that is not read.
    private static func again(_ content: Chunk.Content) -> [UInt8]? {
        switch content {
        case .samples(let samples): Chunk.pack(samples)
        case .file(let piece): Chunk.pack(file: piece)
        case .manifest(let manifest): manifest.chunk
        case .wraps(let wraps): wraps.chunk
        case .rows(let snapshot): RowSnapshot.chunk(of: snapshot.groups.flatMap(\.changes))
        case .unknown: nil
        }
    }

    private static func plain(_ chunk: [UInt8]) throws -> [UInt8] {
        let body = Array(chunk.dropFirst())
        return chunk[0] & 0x0f == 0
            ? body : try Zstandard.decompress(body, byteLimit: Chunk.contentLimit)
    }

    private static func findings(
        of content: Chunk.Content,
        plain: [UInt8]
    ) -> [String: [Judgement.Finding]] {
        switch content {
        case .samples(let samples):
            [
                "sample": samples.map { .text($0.written) },
                "samples": [.text("\(samples.count)")],
                "digest": [.bytes(Digest(of: plain).bytes)],
            ]
        case .file(let piece): ["file": [.bytes(Digest(of: piece).bytes)]]
        case .manifest(let manifest):
            ["lists": [.text("\(manifest.kind.rawValue) \(manifest.chunks.count)")]]
        case .wraps(let wraps): ["wraps": [.text("\(wraps.epoch) \(wraps.entries.count)")]]
        case .rows(let snapshot):
            ["group": snapshot.groups.map { .text("\($0.replica.bytes.hexadecimal) \($0.count)") }]
        case .unknown: [:]
        }
    }
}
