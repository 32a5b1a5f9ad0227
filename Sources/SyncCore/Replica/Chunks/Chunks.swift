/// Chunks and the cells that name them: the tables `chunk` and `chunk_use`.
package struct Chunks: ReplicaPart {
    package let context: ReplicaContext

    /// Stores a chunk that this device made or saved, for a track whose cell names it.
    ///
    /// - Parameter ends: the ends of its samples; none for other kinds.
    func insert(
        _ bytes: [UInt8],
        _ reference: ChunkReference,
        ends: Samples = [],
        for place: RowAddress
    ) throws {
        let slices = ChunkSlices(of: bytes)
        let number = try database.first(
            """
            INSERT INTO chunk (hash, space, track, bytes, kind, summary, ends)
            VALUES (\(reference.hash), \(place.space), \(place.id), \(slices.rest),
                \(Int(reference.kind.rawValue)), \(reference.summary?.stored), \(ends.stored))
            ON CONFLICT (hash) DO UPDATE SET bytes = excluded.bytes, kind = excluded.kind,
                summary = excluded.summary, ends = excluded.ends
            RETURNING number
            """
        ) { $0.integer(0) }
        if let number { try insert(slices, of: number) }
        try takeBack(reference.hash)
        // No line of the list depends on a piece of a file.
        if reference.kind == .samples { observer.chunksChanged(of: place) }
    }

    /// Stores a chunk that no reference describes here.
    func insert(_ bytes: [UInt8], _ content: Chunk.Content, for place: RowAddress) throws {
        guard let kind = Chunk.kind(of: bytes) else { return }
        let reference = ChunkReference(
            hash: Digest(of: bytes),
            byteCount: bytes.count,
            kind: kind,
            summary: kind == .samples ? ChunkSummary(of: content.samples) : nil
        )
        try insert(bytes, reference, ends: content.samples.ends, for: place)
    }

    /// Records that a cell names a chunk, which is stored or wanted already.
    ///
    /// Several tracks may name one chunk, if a file was exported and imported again. Several chunks
    /// may begin with one sample, if two copies of a device packed the same recording.
    func recordUse(of reference: ChunkReference, from first: SampleName, by place: RowAddress)
        throws
    {
        try database.run(
            """
            INSERT INTO chunk_use (space, track, first, chunk, samples)
            SELECT \(place.space), \(place.id), \(first.field.string), number,
                \(reference.sampleCount)
            FROM chunk WHERE hash = \(reference.hash)
            ON CONFLICT DO NOTHING
            """
        )
        observer.chunksChanged(of: place)
    }

    /// Whether it is recorded that a track uses a chunk that is stored or wanted.
    func hasUse(of reference: ChunkReference, from first: SampleName, by place: RowAddress) throws
        -> Bool
    {
        try database.first(
            """
            SELECT 1 FROM chunk_use u JOIN chunk c ON c.number = u.chunk
            WHERE u.space = \(place.space) AND u.track = \(place.id)
                AND u.first = \(first.field.string) AND c.hash = \(reference.hash)
            """
        ) { _ in true } ?? false
    }

    /// Forgets uses of chunks that are neither stored nor wanted; returns how many there were.
    func forgetStrayUses() throws -> Int {
        try database.run("DELETE FROM chunk_use WHERE chunk NOT IN (SELECT number FROM chunk)")
    }

    /// Records that the value of a cell names a chunk, which may have to be fetched.
    func wantNamed(
        by value: some Collection<UInt8>,
        at key: @autoclosure () -> Key,
        in space: Int64
    ) throws {
        guard !isView, let reference = ChunkReference(encoded: value) else { return }
        let key = key()
        // No reader looks for a chunk under a malformed name.
        guard let track = key.row.id, let first = SampleName(field: key.field) else { return }
        let place = RowAddress(space: space, id: track)
        try want(reference, for: place)
        try recordUse(of: reference, from: first, by: place)
    }

    func want(_ reference: ChunkReference, for place: RowAddress) throws {
        try database.run(
            """
            INSERT INTO chunk (hash, space, track, kind, summary)
            VALUES (\(reference.hash), \(place.space), \(place.id), \(Int(reference.kind.rawValue)),
                \(reference.summary?.stored))
            ON CONFLICT DO NOTHING
            """
        )
    }

    /// Returns named chunks that have not arrived: ascending by kind, then in order of request.
    package func wanted(of space: Identifier, limit: Int) throws -> [Digest] {
        try database.all(
            """
            SELECT c.hash FROM chunk c JOIN space p ON p.number = c.space
            WHERE p.id = \(space) AND c.bytes IS NULL ORDER BY c.kind, c.number LIMIT \(limit)
            """
        ) { $0.digest(0) }
    }

    func isWanted(_ hash: Digest) throws -> Bool {
        try database.first("SELECT 1 FROM chunk WHERE hash = \(hash) AND bytes IS NULL") { _ in true
        }
            ?? false
    }

    /// Whether a cell of a track names a chunk that is not here.
    func isAnyWanted(by place: RowAddress) throws -> Bool {
        try database.first(
            """
            SELECT 1 FROM chunk_use u JOIN chunk c ON c.number = u.chunk
            WHERE u.space = \(place.space) AND u.track = \(place.id) AND c.bytes IS NULL LIMIT 1
            """
        ) { _ in true } ?? false
    }

    package func wantedCount() throws -> Int {
        try database.first("SELECT count(*) FROM chunk WHERE bytes IS NULL") { Int($0.integer(0)) }
            ?? 0
    }

    /// Stores a fetched chunk; the chunks of a manifest become wanted.
    ///
    /// Throws ``ReplicaError/wrongChunk(_:)`` for bytes with another hash or without the form of a
    /// chunk. The chunk then stays wanted.
    package func store(_ bytes: [UInt8], of hash: Digest) throws {
        guard bytes.count <= Chunk.byteLimit, Digest(of: bytes) == hash,
            let kind = Chunk.kind(of: bytes), let content = try? Chunk.content(of: bytes)
        else { throw ReplicaError.wrongChunk(hash) }
        let wanted = try database.first(
            "SELECT space, track, summary FROM chunk WHERE hash = \(hash)"
        ) { (place: RowAddress(space: $0.integer(0), id: $0.id(1)), stated: $0.chunkSummary(2)) }
        guard let (place, stated) = wanted else { return }
        let reference = ChunkReference(
            hash: hash,
            byteCount: bytes.count,
            kind: kind,
            summary: kind == .samples ? summary(of: content.samples, stated: stated) : nil
        )
        try insert(bytes, reference, ends: content.samples.ends, for: place)
        if kind == .samples { try users(naming: hash).forEach(observer.chunksChanged(of:)) }
        if case .manifest(let manifest) = content { try wantAll(of: manifest, for: place) }
    }

    /// Ends the waiting of changes for a chunk that was damaged and is here again.
    private func takeBack(_ hash: Digest) throws {
        guard try database.run("DELETE FROM damaged_chunk WHERE hash = \(hash)") > 0 else { return }
        try unsealed.release(hash)
    }

    /// Returns the stated summary, or that of the samples if their bounds differ from it.
    ///
    /// The author has filtered the fixes already; `verify` does it again.
    private func summary(of samples: Samples, stated: ChunkSummary?) -> ChunkSummary {
        guard let stated, stated.filtered != nil, stated.bounds == ChunkSummary.Bounds(of: samples)
        else { return ChunkSummary(of: samples) }
        return stated
    }

    /// Requests the chunks that a manifest lists.
    func wantAll(of manifest: ChunkManifest, for place: RowAddress) throws {
        for chunk in manifest.chunks {
            let reference = ChunkReference(
                hash: chunk.hash,
                byteCount: chunk.byteCount,
                kind: manifest.kind,
                summary: nil
            )
            try want(reference, for: place)
        }
    }

    /// Returns the tracks whose cells name a chunk.
    func users(naming hash: Digest) throws -> [RowAddress] {
        try database.all(
            """
            SELECT DISTINCT u.space, u.track FROM chunk c JOIN chunk_use u ON u.chunk = c.number
            WHERE c.hash = \(hash)
            """
        ) { RowAddress(space: $0.integer(0), id: $0.id(1)) }
    }

    /// Returns the chunk to read for a piece of a track, or nil if none is available.
    ///
    /// This is the piece's own chunk or, until it arrives, the longest chunk with the same first
    /// sample.
    func readable(of piece: ChunkUse, in place: RowAddress) throws -> Digest? {
        try database.first(
            """
            SELECT c.hash FROM chunk_use u JOIN chunk c ON c.number = u.chunk
            WHERE u.space = \(place.space) AND u.track = \(place.id)
                AND u.first = \(piece.first.field.string) AND c.bytes IS NOT NULL
            ORDER BY c.hash = \(piece.reference.hash) DESC, u.samples DESC, c.hash LIMIT 1
            """
        ) { $0.digest(0) }
    }

    /// Returns the summary and the ends of a present chunk of samples.
    func summary(of hash: Digest) throws -> PartSummary? {
        try database.first(
            "SELECT summary, ends FROM chunk WHERE hash = \(hash) AND bytes IS NOT NULL"
        ) { row in
            guard let summary = row.chunkSummary(0) else { return nil }
            return PartSummary(summary: summary, ends: try row.chunkEnds(1))
        } ?? nil
    }

    func update(_ summary: ChunkSummary, of hash: Digest) throws {
        try database.run("UPDATE chunk SET summary = \(summary.stored) WHERE hash = \(hash)")
    }

    /// Returns the samples of a chunk, or nil if it has not arrived.
    ///
    /// A piece of a file has none.
    func samples(in hash: Digest) throws -> Samples? {
        try bytes(hash).map { try Chunk.content(of: $0).samples }
    }
}

extension ChunkSummary {
    /// The form in the column `summary`.
    var stored: SQLiteValue { .blob(value.encoded) }
}

extension Samples {
    /// The form of ends in the column `ends`.
    var stored: SQLiteValue { isEmpty ? .null : .blob(Chunk.pack(self)) }
}

extension Statement {
    /// Reads a summary, or nil if the chunk has none or it cannot be decoded.
    func chunkSummary(_ column: Int32) -> ChunkSummary? {
        guard !isNull(column) else { return nil }
        return (try? Value(decoding: blob(column))).flatMap { ChunkSummary($0) }
    }

    /// Reads the ends of a chunk's samples.
    func chunkEnds(_ column: Int32) throws(ChunkError) -> Samples {
        isNull(column) ? [] : try Chunk.unpack(blob(column))
    }
}

extension ReplicaPart {
    package var chunks: Chunks { Chunks(context: context) }
}
