/// The bytes of a chunk as the tables `chunk_slice` and `chunk` hold them.
///
/// Three slices fill a page of 4 KiB. In one value the last bytes of a chunk would share no page
/// with another chunk: a tenth of the file would be unused.
struct ChunkSlices {
    /// The chunk's bytes.
    let bytes: [UInt8]
    /// The number of full slices, at most 194.
    let count: Int

    /// The bytes of a slice.
    ///
    /// A leaf page has 4,084 bytes for records. SQLite adds 14 bytes to a slice at most, as long as
    /// the chunk's number is below 2^34.
    static let sliceByteCount = 1347

    /// The numbers set aside for the slices of a chunk, from this times the chunk's number on.
    static let numbersOfChunk: Int64 = 256

    /// The numbers of chunks whose slices fit three to a page.
    static let chunkNumbers: Range<Int64> = 1..<1 << 34

    init(of bytes: [UInt8]) {
        self.bytes = bytes
        count = bytes.count / Self.sliceByteCount
    }

    /// The bytes after the slices, which stand in the chunk's own record.
    var rest: [UInt8] { Array(bytes[(count * Self.sliceByteCount)...]) }
}

extension Chunks {
    /// Stores the slices of a chunk instead of those that are there, which may be damaged.
    func insert(_ slices: ChunkSlices, of number: Int64) throws {
        try deleteSlices(from: slices.count, of: number)
        guard slices.count > 0 else { return }
        try database.run(
            """
            WITH RECURSIVE place(slice) AS (
                SELECT 0 UNION ALL SELECT slice + 1 FROM place WHERE slice + 1 < \(slices.count))
            INSERT OR REPLACE INTO chunk_slice (number, bytes)
            SELECT \(number * ChunkSlices.numbersOfChunk) + slice,
                substr(\(slices.bytes), slice * \(ChunkSlices.sliceByteCount) + 1,
                    \(ChunkSlices.sliceByteCount))
            FROM place
            """
        )
    }

    /// Returns the bytes of a chunk, or nil if they have not arrived.
    package func bytes(_ hash: Digest) throws -> [UInt8]? {
        var (bytes, rest): ([UInt8], [UInt8]?) = ([], nil)
        try database.each(
            """
            SELECT s.bytes, c.bytes FROM chunk c LEFT JOIN chunk_slice s
                ON s.number >= c.number * \(ChunkSlices.numbersOfChunk)
                AND s.number < (c.number + 1) * \(ChunkSlices.numbersOfChunk)
            WHERE c.hash = \(hash) AND c.bytes IS NOT NULL ORDER BY s.number
            """
        ) { row in
            bytes += row.blob(0)
            rest = rest ?? row.blob(1)
        }
        return rest.map { bytes + $0 }
    }

    /// Returns the available chunks of those that a set names, without damaged ones.
    ///
    /// The server would reject damaged bytes as a malformed request; without them it reports the
    /// missing chunk.
    func bytes(namedBy upload: Upload) throws -> [[UInt8]] {
        try upload.header.chunks.compactMap { try soundBytes($0.hash) }
    }

    /// Returns the bytes of a chunk, or nil if they have not arrived or are damaged.
    func soundBytes(_ hash: Digest) throws -> [UInt8]? {
        try bytes(hash).flatMap { Digest(of: $0) == hash ? $0 : nil }
    }

    /// Whether the bytes of a chunk were damaged and put aside.
    func wasDamaged(_ hash: Digest) throws -> Bool {
        try database.first("SELECT 1 FROM damaged_chunk WHERE hash = \(hash)") { _ in true }
            ?? false
    }

    /// Puts the bytes of a damaged chunk aside, for a manual rescue; the chunk becomes wanted.
    func setAside(_ hash: Digest) throws {
        try database.run(
            """
            INSERT INTO damaged_chunk (hash, bytes) VALUES (\(hash), \(try bytes(hash) ?? []))
            ON CONFLICT DO NOTHING
            """
        )
        try forgetBytes(of: hash)
        try users(naming: hash).forEach(observer.chunksChanged(of:))
    }

    /// Deletes a chunk that nothing names.
    func delete(_ hash: Digest) throws {
        try forgetBytes(of: hash)
        try database.run("DELETE FROM chunk WHERE hash = \(hash)")
    }

    /// Forgets the bytes of a chunk, which becomes wanted.
    func forgetBytes(of hash: Digest) throws {
        let number = try database.first(
            """
            UPDATE chunk SET bytes = NULL, summary = NULL, ends = NULL WHERE hash = \(hash)
            RETURNING number
            """
        ) { $0.integer(0) }
        if let number { try deleteSlices(from: 0, of: number) }
    }

    /// Deletes the slices of a chunk from the given one on.
    func deleteSlices(from slice: Int, of number: Int64) throws {
        try database.run(
            """
            DELETE FROM chunk_slice
            WHERE number >= \(number * ChunkSlices.numbersOfChunk + Int64(slice))
                AND number < \((number + 1) * ChunkSlices.numbersOfChunk)
            """
        )
    }
}
