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
        guard values.blob(1)?.count == 32, values.id(3) != nil,
            let space = values.integer(2).flatMap(salvaging.space),
            ChunkSlices.chunkNumbers.contains(number)
        else { return false }
        let inserted = try database.run(
            """
            INSERT INTO chunk (number, hash, space, track, bytes, kind)
            VALUES (\(number), \(values[1]), \(space), \(values[3]), \(bytes), \(values[5]))
            ON CONFLICT DO NOTHING
            """
        )
        if inserted == 0 { salvaging.keep(ChunkCopy(chunk: number, slice: nil, bytes: bytes)) }
        return true
    }

    func readSlice(_ record: DamagedRecord, in salvaging: inout Salvaging) throws {
        let chunk = record.number / ChunkSlices.numbersOfChunk
        guard let bytes = record.values.blob(0), ChunkSlices.chunkNumbers.contains(chunk)
        else { return }
        let inserted = try database.run(
            """
            INSERT INTO chunk_slice (number, bytes) VALUES (\(record.number), \(bytes))
            ON CONFLICT DO NOTHING
            """
        )
        if inserted == 0 {
            salvaging.keep(ChunkCopy(chunk: chunk, slice: record.number, bytes: bytes))
        }
    }

    /// Checks the copied chunks, and drops those whose bytes do not match their hash.
    func checkChunks(in salvaging: inout Salvaging) throws {
        let copied = try database.all("SELECT number, hash, space, track FROM chunk") {
            (
                number: $0.integer(0), hash: $0.digest(1),
                place: RowAddress(space: $0.integer(2), id: $0.id(3))
            )
        }
        for chunk in copied {
            let copies = salvaging.copies.filter { $0.chunk == chunk.number }
            if let bytes = try soundBytes(of: chunk.hash, chunk.number, copies),
                let content = try? Chunk.content(of: bytes)
            {
                try chunks.insert(bytes, content, for: chunk.place)
                if case .manifest(let manifest) = content {
                    try chunks.wantAll(of: manifest, for: chunk.place)
                }
                salvaging.salvage.chunks += 1
            } else {
                try database.run("DELETE FROM chunk WHERE number = \(chunk.number)")
                salvaging.salvage.damaged += 1
            }
        }
        try database.run(
            """
            DELETE FROM chunk_slice
            WHERE number / \(ChunkSlices.numbersOfChunk) NOT IN (SELECT number FROM chunk)
            """
        )
    }

    /// Returns the bytes of a chunk if they match its hash, perhaps with one part from a copy.
    private func soundBytes(
        of hash: Digest,
        _ number: Int64,
        _ copies: [ChunkCopy]
    ) throws -> [UInt8]? {
        if let bytes = try chunks.bytes(hash), Digest(of: bytes) == hash { return bytes }
        for copy in copies {
            let present = try part(copy.slice, of: number)
            try replacePart(copy.slice, of: number, by: copy.bytes)
            if let bytes = try chunks.bytes(hash), Digest(of: bytes) == hash { return bytes }
            try replacePart(copy.slice, of: number, by: present)
        }
        return nil
    }

    private func part(_ slice: Int64?, of chunk: Int64) throws -> [UInt8] {
        guard let slice else {
            return try database.first("SELECT bytes FROM chunk WHERE number = \(chunk)") {
                $0.blob(0)
            } ?? []
        }
        return try database.first("SELECT bytes FROM chunk_slice WHERE number = \(slice)") {
            $0.blob(0)
        } ?? []
    }

    private func replacePart(_ slice: Int64?, of chunk: Int64, by bytes: [UInt8]) throws {
        if let slice {
            try database.run("UPDATE chunk_slice SET bytes = \(bytes) WHERE number = \(slice)")
        } else {
            try database.run("UPDATE chunk SET bytes = \(bytes) WHERE number = \(chunk)")
        }
    }
}

extension Salvaging {
    fileprivate mutating func keep(_ copy: ChunkCopy) {
        if copies.count < Self.copyLimit { copies.append(copy) }
    }
}
