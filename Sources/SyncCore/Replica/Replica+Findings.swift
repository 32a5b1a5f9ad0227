/// What a check of the chunks found.
struct ChunkFindings {
    /// Chunks whose bytes were read.
    var checked = 0
    /// Those whose bytes have another hash, or cannot be unpacked.
    var damaged: [Digest] = []
    /// Those whose points, distance or ends are not what their bytes say.
    var misread: [Digest] = []
    /// How many are wanted and not here yet.
    var missing = 0
    /// Named by a cell, and neither here nor wanted, with the tracks that lack them.
    var forgotten: [NamedChunk] = []

    var faults: [String] {
        damaged.map { "chunk \($0): its bytes have another hash, or are no chunk" }
            + misread.map { "chunk \($0): what is kept of its points is not what its bytes say" }
            + forgotten.map {
                "chunk \($0.piece.reference.hash) of track \($0.place.id) is not here, nor wanted"
            }
    }
}

/// A chunk that a cell of a track names.
struct NamedChunk {
    let place: TrackPlace
    let piece: Replica.Piece
    /// Whether it is a piece of a file.
    let isOfFile: Bool
}

/// What a check of the lines of tracks found.
struct TrackFindings {
    /// Lines that were made anew.
    var checked = 0
    /// Tracks whose line is missing, or not what their cells and chunks say.
    var differing: [TrackPlace] = []
    /// Tracks of which no line can be made.
    var unreadable: [TrackPlace] = []

    var faults: [String] {
        differing.map { "track \($0.id): its line in the list is not what its cells say" }
            + unreadable.map { "track \($0.id): its cells cannot be read" }
    }
}

extension Replica {
    /// Recomputes every hash, and looks for the chunks that cells name.
    func chunkFindings() throws -> ChunkFindings {
        var findings = ChunkFindings()
        var known: Set<Digest> = []
        try database.each(
            """
            SELECT hash, bytes, points, distance, ends, speed_limit, greatest_speed, first_time,
                last_time
            FROM chunk
            """
        ) { row in
            let hash = row.digest(0)
            known.insert(hash)
            if row.isNull(1) {
                findings.missing += 1
            } else {
                findings.take(row, hash)
            }
        }
        // At the server, chunks are the store's.
        guard viewKeys == nil else { return findings }
        findings.forgotten = try namedChunks().filter { !known.contains($0.piece.reference.hash) }
        return findings
    }

    /// Makes every line of the list of tracks anew and compares it with the one that is kept.
    func trackFindings() throws -> TrackFindings {
        var findings = TrackFindings()
        for place in try trackPlaces() {
            findings.checked += 1
            do {
                if try storedLine(of: place) != freshLine(of: place) {
                    findings.differing.append(place)
                }
            } catch  where error is ReplicaError || error is CBORError || error is ChunkError {
                findings.unreadable.append(place)
            }
        }
        return findings
    }

    /// Tracks that have a row or a line.
    private func trackPlaces() throws -> [TrackPlace] {
        let rows = try collections.collections(feeding: .tracks).flatMap { schema in
            try database.all(
                "SELECT space, row FROM row WHERE collection = $1",
                .text(schema.name.string)
            ) { row in
                (try? Row(decoding: row.blob(1)))?.id
                    .map { TrackPlace(space: row.integer(0), id: $0) }
            }
        }
        .compactMap { $0 }
        let lines = try database.all("SELECT space, id FROM track") {
            TrackPlace(space: $0.integer(0), id: $0.id(1))
        }
        return Set(rows).union(lines).sorted { ($0.space, $0.id) < ($1.space, $1.id) }
    }

    /// Every chunk that a readable cell names, track by track.
    private func namedChunks() throws -> [NamedChunk] {
        try trackPlaces().flatMap { place in
            do {
                let ofTrack = try pieces(of: place).map { ($0, false) }
                let ofFile = try originalPieces(of: place).map { ($0, true) }
                return (ofTrack + ofFile).map {
                    NamedChunk(place: place, piece: $0, isOfFile: $1)
                }
            } catch  where error is ReplicaError || error is CBORError {
                return []
            }
        }
    }
}

extension ChunkFindings {
    fileprivate mutating func take(_ row: Statement, _ hash: Digest) {
        checked += 1
        let bytes = row.blob(1)
        guard Digest(of: bytes) == hash, let content = try? Chunk.content(of: bytes) else {
            damaged.append(hash)
            return
        }
        let summary = ChunkSummary(of: content.samples, by: FixRule(speedLimit: row.real(5)))
        let isRight =
            Int(row.integer(2)) == summary.pointCount && row.real(3) == summary.distanceMetres
            && ((try? Chunk.unpack(row.blob(4))) ?? []) == summary.ends
            && row.real(6) == summary.greatestSpeed && row.times(7) == summary.believedTimes
        if !isRight { misread.append(hash) }
    }
}

extension Replica {
    /// What ``repair(at:)`` did.
    package struct Repaired: Equatable, Sendable {
        /// Chunks that the next sync fetches again.
        package var refetched = 0
        /// Damaged chunks that no server has: their bytes are left for whoever can read them.
        package var kept = 0
        /// Chunks of which points, distance and ends were read again.
        package var reread = 0
        /// Lines of the list of tracks that were made anew.
        package var tracks = 0
        /// Sets that were added to the index of rows.
        package var sets = 0
        /// Rows that were listed wrongly in the trash.
        package var trash = 0

        /// What was changed; nil where nothing was.
        package var words: String? {
            let counts = [
                (refetched, "chunks to fetch again"), (reread, "chunks read again"),
                (tracks, "lines of the list made anew"), (sets, "sets added to the index of rows"),
                (trash, "rows listed wrongly in the trash"),
            ]
            let parts = counts.filter { $0.0 > 0 }.map { "\($0.1): \($0.0)" }
            return parts.isEmpty ? nil : parts.joined(separator: ", ")
        }
    }

    /// Makes anew what follows from cells and chunks, and wants again what the server has.
    package func repair(at now: UnixTime) throws -> Repaired {
        try write {
            var repaired = Repaired()
            let chunks = try chunkFindings()
            for hash in chunks.damaged {
                if try isAtServer(hash) {
                    try forgetBytes(of: hash)
                    repaired.refetched += 1
                } else {
                    repaired.kept += 1
                }
            }
            for named in chunks.forgotten {
                let (place, piece) = (named.place, named.piece)
                try want(piece.reference.hash, for: place, isOfFile: named.isOfFile)
                try noteUse(of: piece.reference, from: piece.first, by: place)
                repaired.refetched += 1
            }
            for hash in chunks.misread { try reread(hash) }
            repaired.reread = chunks.misread.count
            for place in try trackFindings().differing {
                dirtyTracks.insert(place)
                repaired.tracks += 1
            }
            repaired.sets = try repairTouched()
            repaired.trash = try repairTrash()
            if let words = repaired.words { try note(.repaired, words, at: now) }
            return repaired
        }
    }

    /// Whether a set that the server accepted names the chunk: then it came along with it.
    private func isAtServer(_ hash: Digest) throws -> Bool {
        try places(naming: hash).contains { place in
            try collectionNames(in: place.space).contains { collection in
                try storedRow(place.space, collection, .id(place.id))?.base.cells.values
                    .contains { ChunkReference($0.value)?.hash == hash } ?? false
            }
        }
    }

    private func forgetBytes(of hash: Digest) throws {
        try database.run(
            """
            UPDATE chunk SET bytes = NULL, points = NULL, distance = NULL, ends = NULL,
                speed_limit = NULL, greatest_speed = NULL, first_time = NULL, last_time = NULL
            WHERE hash = $1
            """,
            .digest(hash)
        )
        try markTracks(naming: hash)
    }

    private func reread(_ hash: Digest) throws {
        let bytes = try database.first("SELECT bytes FROM chunk WHERE hash = $1", .digest(hash)) {
            $0.blob(0)
        }
        guard let bytes else { return }
        let content = try Chunk.content(of: bytes)
        let place = try database.first(
            "SELECT space, track FROM chunk WHERE hash = $1",
            .digest(hash)
        ) { TrackPlace(space: $0.integer(0), id: $0.id(1)) }
        guard let place else { return }
        try insertChunk(bytes, content, hash: hash, for: place)
        try markTracks(naming: hash)
    }

    private func markTracks(naming hash: Digest) throws {
        dirtyTracks.formUnion(try places(naming: hash))
    }
}
