/// Chunks: their records and slices are copied first and checked together at the end.
extension Salvager {
    /// Copies the record of a chunk; returns false if it is damaged.
    ///
    /// It keeps its number, by which its slices are found.
    func readChunk(
        _ values: [SQLiteValue],
        number: Int64,
        in salvaging: inout Salvaging
    ) throws -> Bool {
        guard let bytes = values.blob(4) else { return true }
        guard let hash = values.blob(1).flatMap({ Digest(bytes: $0) }), values.id(3) != nil,
            let space = values.integer(2).flatMap(salvaging.space),
            ChunkSlices.chunkNumbers.contains(number), bytes.count < ChunkSlices.sliceByteCount
        else { return false }
        let inserted = try database.run(
            """
            INSERT INTO chunk (number, hash, space, track, bytes, kind)
            VALUES (\(number), \(hash), \(space), \(values[3]), \(bytes), \(values[5]))
            ON CONFLICT DO NOTHING
            """
        )
        guard inserted == 0 else { return true }
        let known = try database.first("SELECT number FROM chunk WHERE hash = \(hash)") {
            $0.integer(0)
        }
        // Without a known record, another chunk has the number.
        guard let known else { return false }
        try keep(ChunkCopy(slice: nil, bytes: bytes), of: known, in: &salvaging)
        return true
    }

    func readSlice(_ record: DamagedRecord, in salvaging: inout Salvaging) throws {
        let chunk = record.number / ChunkSlices.numbersOfChunk
        guard let bytes = record.values.blob(0), bytes.count == ChunkSlices.sliceByteCount,
            ChunkSlices.chunkNumbers.contains(chunk)
        else { return }
        let inserted = try database.run(
            """
            INSERT INTO chunk_slice (number, bytes) VALUES (\(record.number), \(bytes))
            ON CONFLICT DO NOTHING
            """
        )
        guard inserted == 0 else { return }
        try keep(ChunkCopy(slice: record.number, bytes: bytes), of: chunk, in: &salvaging)
    }

    private func keep(
        _ copy: ChunkCopy,
        of chunk: Int64,
        in salvaging: inout Salvaging
    ) throws {
        guard salvaging.copyCount < Salvaging.copyLimit,
            try part(copy.slice, of: chunk) != copy.bytes
        else { return }
        salvaging.copies[chunk, default: []].append(copy)
        salvaging.copyCount += 1
    }

    /// Checks the copied chunks, and drops those whose bytes do not match their hash.
    func checkChunks(in salvaging: inout Salvaging) throws {
        try database.run(
            """
            DELETE FROM chunk_slice
            WHERE number / \(ChunkSlices.numbersOfChunk) NOT IN (SELECT number FROM chunk)
            """
        )
        let copied = try database.all("SELECT number, hash, space, track FROM chunk") {
            (
                number: $0.integer(0), hash: $0.digest(1),
                place: RowAddress(space: $0.integer(2), id: $0.id(3))
            )
        }
        var manifests: [(ChunkManifest, RowAddress)] = []
        for chunk in copied {
            let copies = salvaging.copies[chunk.number] ?? []
            if let bytes = try soundBytes(of: chunk.hash, chunk.number, copies),
                let content = try? Chunk.content(of: bytes)
            {
                try chunks.insert(bytes, content, for: chunk.place)
                if case .manifest(let manifest) = content {
                    manifests.append((manifest, chunk.place))
                }
                salvaging.salvage.chunks += 1
            } else {
                try chunks.deleteSlices(from: 0, of: chunk.number)
                try database.run("DELETE FROM chunk WHERE number = \(chunk.number)")
                salvaging.salvage.damaged += 1
            }
        }
        for (manifest, place) in manifests { try chunks.wantAll(of: manifest, for: place) }
    }

    /// Holds back unsent changes that name a lost chunk: no server takes them without it.
    ///
    /// A chunk that the server has all the same comes back at the next sync.
    func holdBackLost() throws {
        for space in try database.all("SELECT number FROM space", read: { $0.integer(0) }) {
            for written in try unsealed.all(space) {
                guard let hash = ChunkReference(written.change.cell)?.hash,
                    try chunks.soundBytes(hash) == nil
                else { continue }
                try chunks.setAside(hash)
                let held = Unsent(written.change.cell, at: written.wall, state: .waiting)
                try unsealed.put(written.row, written.change.key.field, held, isForced: true)
            }
        }
    }

    /// Whether a set names a chunk that is not here.
    func namesLostChunk(_ upload: Upload) throws -> Bool {
        try !upload.isControl
            && upload.header.chunks.contains { try chunks.soundBytes($0.hash) == nil }
    }

    /// Returns the bytes of a chunk if they match its hash, with parts from copies if needed: one
    /// of them, or all.
    private func soundBytes(
        of hash: Digest,
        _ number: Int64,
        _ copies: [ChunkCopy]
    ) throws -> [UInt8]? {
        if let bytes = try chunks.soundBytes(hash) { return bytes }
        for copy in copies {
            let present = try part(copy.slice, of: number)
            try replacePart(copy.slice, of: number, by: copy.bytes)
            if let bytes = try chunks.soundBytes(hash) { return bytes }
            try replacePart(copy.slice, of: number, by: present)
        }
        for copy in copies { try replacePart(copy.slice, of: number, by: copy.bytes) }
        return try chunks.soundBytes(hash)
    }

    private func part(_ slice: Int64?, of chunk: Int64) throws -> [UInt8] {
        let bytes =
            if let slice {
                try database.first("SELECT bytes FROM chunk_slice WHERE number = \(slice)") {
                    $0.blob(0)
                }
            } else {
                try database.first("SELECT bytes FROM chunk WHERE number = \(chunk)") {
                    $0.blob(0)
                }
            }
        return bytes ?? []
    }

    private func replacePart(_ slice: Int64?, of chunk: Int64, by bytes: [UInt8]) throws {
        if let slice {
            try database.run("UPDATE chunk_slice SET bytes = \(bytes) WHERE number = \(slice)")
        } else {
            try database.run("UPDATE chunk SET bytes = \(bytes) WHERE number = \(chunk)")
        }
    }
}
