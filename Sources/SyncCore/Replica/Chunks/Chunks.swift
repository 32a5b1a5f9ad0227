/// Chunks and the cells that name them: the tables `chunk` and `chunk_use`.
package struct Chunks: ReplicaPart {
    package let context: ReplicaContext

    /// Puts a chunk beside the cell that names it.
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

    /// The same with what was summed up already.
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

    /// Two tracks can name one chunk, of a file that was exported and imported again; and two chunks
    /// can begin with one sample, of a recording that was packed on two copies of a device.
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

    /// Notes that a change refers to a chunk that may not be here yet.
    func wantNamed(_ change: Change, in space: Int64) throws {
        guard !isView, let track = change.key.row.id,
            let reference = ChunkReference(change.cell)
        else { return }
        let place = RowAddress(space: space, id: track)
        // What no reader finds by its name is not wanted either.
        guard let first = SampleName(field: change.key.field) else { return }
        try want(reference.hash, for: place, isOfFile: isOfFile(change.key.collection))
        try recordUse(of: reference, from: first, by: place)
    }

    /// Whether chunks of a collection are no samples, which come first.
    func isOfFile(_ collection: Text) -> Bool {
        collections[collection]?.chunks != .samples
    }

    func want(_ hash: Digest, for place: RowAddress, isOfFile: Bool) throws {
        try database.run(
            """
            INSERT INTO chunk (hash, space, track, is_file)
            VALUES (\(hash), \(place.space), \(place.id), \(isOfFile ? 1 : 0))
            ON CONFLICT DO NOTHING
            """
        )
    }

    /// Chunks that are named by a cell and not here yet: points before files, and the oldest wish
    /// first.
    package func wanted(of space: Identifier, limit: Int) throws -> [Digest] {
        try database.all(
            """
            SELECT c.hash FROM chunk c JOIN space p ON p.number = c.space
            WHERE p.id = \(space) AND c.bytes IS NULL ORDER BY c.is_file, c.number LIMIT \(limit)
            """
        ) { $0.digest(0) }
    }

    /// How many chunks are wanted in all.
    package func wantedCount() throws -> Int {
        try database.first("SELECT count(*) FROM chunk WHERE bytes IS NULL") {
            Int($0.integer(0))
        } ?? 0
    }

    /// Takes in a chunk that was wanted.
    ///
    /// Bytes that do not have the name, or are no chunk, are refused and stay wanted:
    /// ``ReplicaError/wrongChunk(_:)``.
    package func store(_ bytes: [UInt8], of hash: Digest) throws {
        guard bytes.count <= Chunk.byteLimit, Digest(of: bytes) == hash,
            let content = try? Chunk.content(of: bytes)
        else { throw ReplicaError.wrongChunk(hash) }
        let places = try users(naming: hash)
        guard let first = places.first else { return }
        try insert(bytes, content, hash: hash, for: first)
        if !content.isFile { places.forEach(observer.chunksChanged(of:)) }
    }

    /// The tracks of which a cell names a chunk.
    func users(naming hash: Digest) throws -> [RowAddress] {
        try database.all(
            "SELECT DISTINCT space, track FROM chunk_use WHERE hash = \(hash)"
        ) { RowAddress(space: $0.integer(0), id: $0.id(1)) }
    }

    /// The chunk that is read for a piece of a track: its own or, while nobody has that one, the
    /// longest that is here and begins with the same sample; nil where there is none.
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

    /// The bytes of a chunk, nil where they are not here.
    package func bytes(_ hash: Digest) throws -> [UInt8]? {
        try database.first(
            "SELECT bytes FROM chunk WHERE hash = \(hash) AND bytes IS NOT NULL"
        ) { $0.blob(0) }
    }

    /// The samples of a chunk, none of a piece of a file; nil where it is not here.
    func samples(in hash: Digest) throws -> [Sample]? {
        try bytes(hash).map { try Chunk.content(of: $0).samples }
    }
}

extension ChunkSummary {
    /// The ends as they are stored.
    var packedEnds: [UInt8] { ends.isEmpty ? [] : Chunk.pack(ends) }
}

extension ReplicaPart {
    package var chunks: Chunks { Chunks(context: context) }
}
