/// Chunks and the cells that name them: the tables `chunk` and `chunk_use`.
package struct Chunks: ReplicaPart {
    package let context: ReplicaContext

    /// Stores a chunk with its summary, for a track whose cell names it.
    func insert(
        _ bytes: [UInt8],
        _ content: Chunk.Content,
        hash: Digest,
        for place: RowAddress
    ) throws {
        try insert(
            bytes,
            ChunkSummary(of: content.samples),
            hash: hash,
            for: place,
            isOfFile: content.isFile
        )
    }

    /// Stores a chunk whose summary is known already.
    func insert(
        _ bytes: [UInt8],
        _ summary: ChunkSummary,
        hash: Digest,
        for place: RowAddress,
        isOfFile: Bool = false
    ) throws {
        try database.run(
            """
            INSERT INTO chunk (hash, space, track, bytes, points, distance, ends, speed_limit,
                greatest_speed, first_time, last_time, is_file)
            VALUES (\(hash), \(place.space), \(place.id), \(bytes), \(summary.pointCount),
                \(summary.distanceMetres), \(summary.packedEnds), \(summary.rule.speedLimit),
                \(summary.greatestSpeed), \(summary.believedTimes?.lowerBound.milliseconds),
                \(summary.believedTimes?.upperBound.milliseconds), \(isOfFile ? 1 : 0))
            ON CONFLICT (hash) DO UPDATE SET bytes = excluded.bytes, points = excluded.points,
                distance = excluded.distance, ends = excluded.ends,
                speed_limit = excluded.speed_limit, greatest_speed = excluded.greatest_speed,
                first_time = excluded.first_time, last_time = excluded.last_time,
                is_file = excluded.is_file
            """
        )
        // No line of the list depends on a piece of a file.
        if !isOfFile { observer.chunksChanged(of: place) }
    }

    /// Records that a cell names a chunk.
    ///
    /// Several tracks may name one chunk, if a file was exported and imported again. Several chunks
    /// may begin with one sample, if two copies of a device packed the same recording.
    func recordUse(of reference: ChunkReference, from first: SampleName, by place: RowAddress)
        throws
    {
        try database.run(
            """
            INSERT INTO chunk_use (space, track, first, hash, samples)
            VALUES (\(place.space), \(place.id), \(first.field.string), \(reference.hash),
                \(reference.sampleCount))
            ON CONFLICT DO NOTHING
            """
        )
        observer.chunksChanged(of: place)
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
        try want(reference.hash, for: place, isOfFile: isOfFile(key.collection))
        try recordUse(of: reference, from: first, by: place)
    }

    /// Returns whether a collection's chunks are pieces of files, which are fetched after samples.
    func isOfFile(_ collection: Text) -> Bool { collections[collection]?.chunks != .samples }

    func want(_ hash: Digest, for place: RowAddress, isOfFile: Bool) throws {
        try database.run(
            """
            INSERT INTO chunk (hash, space, track, is_file)
            VALUES (\(hash), \(place.space), \(place.id), \(isOfFile ? 1 : 0))
            ON CONFLICT DO NOTHING
            """
        )
    }

    /// Returns named chunks that have not arrived: samples before files, then in order of request.
    package func wanted(of space: Identifier, limit: Int) throws -> [Digest] {
        try database.all(
            """
            SELECT c.hash FROM chunk c JOIN space p ON p.number = c.space
            WHERE p.id = \(space) AND c.bytes IS NULL ORDER BY c.is_file, c.number LIMIT \(limit)
            """
        ) { $0.digest(0) }
    }

    package func wantedCount() throws -> Int {
        try database.first("SELECT count(*) FROM chunk WHERE bytes IS NULL") { Int($0.integer(0)) }
            ?? 0
    }

    /// Stores a fetched chunk.
    ///
    /// Throws ``ReplicaError/wrongChunk(_:)`` for bytes with another hash or without the form of a
    /// chunk. The chunk then stays wanted.
    package func store(_ bytes: [UInt8], of hash: Digest) throws {
        guard bytes.count <= Chunk.byteLimit, Digest(of: bytes) == hash,
            let content = try? Chunk.content(of: bytes)
        else { throw ReplicaError.wrongChunk(hash) }
        let places = try users(naming: hash)
        guard let first = places.first else { return }
        try insert(bytes, content, hash: hash, for: first)
        if !content.isFile { places.forEach(observer.chunksChanged(of:)) }
    }

    /// Returns the tracks whose cells name a chunk.
    func users(naming hash: Digest) throws -> [RowAddress] {
        try database.all(
            "SELECT DISTINCT space, track FROM chunk_use WHERE hash = \(hash)"
        ) { RowAddress(space: $0.integer(0), id: $0.id(1)) }
    }

    /// Returns the chunk to read for a piece of a track, or nil if none is available.
    ///
    /// This is the piece's own chunk or, until it arrives, the longest chunk with the same first
    /// sample.
    func readable(of piece: ChunkUse, in place: RowAddress) throws -> Digest? {
        try database.first(
            """
            SELECT u.hash FROM chunk_use u JOIN chunk c ON c.hash = u.hash
            WHERE u.space = \(place.space) AND u.track = \(place.id)
                AND u.first = \(piece.first.field.string) AND c.bytes IS NOT NULL
            ORDER BY u.hash = \(piece.reference.hash) DESC, u.samples DESC, u.hash LIMIT 1
            """
        ) { $0.digest(0) }
    }

    /// Returns the bytes of a chunk, or nil if they have not arrived.
    package func bytes(_ hash: Digest) throws -> [UInt8]? {
        try database.first(
            "SELECT bytes FROM chunk WHERE hash = \(hash) AND bytes IS NOT NULL"
        ) { $0.blob(0) }
    }

    /// Returns the available chunks of those that a set names.
    func bytes(namedBy upload: Upload) throws -> [[UInt8]] {
        try upload.header.chunks.compactMap { try bytes($0.hash) }
    }

    /// Returns the samples of a chunk, or nil if it has not arrived.
    ///
    /// A piece of a file has none.
    func samples(in hash: Digest) throws -> Samples? {
        try bytes(hash).map { try Chunk.content(of: $0).samples }
    }
}

extension ChunkSummary {
    /// The stored form of the ends.
    var packedEnds: [UInt8] { ends.isEmpty ? [] : Chunk.pack(ends) }
}

extension ReplicaPart {
    package var chunks: Chunks { Chunks(context: context) }
}
