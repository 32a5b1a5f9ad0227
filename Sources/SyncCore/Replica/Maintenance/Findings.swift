/// The result of a check of the chunks.
struct ChunkFindings {
    /// Chunks whose bytes were checked.
    var checked = 0
    /// Chunks whose bytes have another hash or cannot be unpacked.
    var damaged: [Digest] = []
    /// Chunks whose stored points, distance or ends do not match their bytes.
    var misread: [Digest] = []
    /// Wanted chunks that have not arrived.
    var missing = 0
    /// Chunks that a cell names, and that are neither stored nor wanted.
    var forgotten: [NamedChunk] = []

    var faults: [String] {
        damaged.map { "chunk \($0): its bytes do not match its hash, or are not a chunk" }
            + misread.map { "chunk \($0): its stored summary does not match its bytes" }
            + forgotten.map {
                "chunk \($0.piece.reference.hash) of track \($0.place.id) is missing, and was not requested"
            }
    }
}

struct NamedChunk {
    let place: RowAddress
    let piece: ChunkUse
    let isOfFile: Bool
}

/// The result of a check of the list of tracks.
struct TrackFindings {
    /// Lines that were recomputed.
    var checked = 0
    /// Tracks whose line is missing or does not match their cells and chunks.
    var differing: [RowAddress] = []
    /// Tracks whose line cannot be recomputed.
    var unreadable: [RowAddress] = []

    var faults: [String] {
        differing.map { "track \($0.id): its entry in the list does not match its cells" }
            + unreadable.map { "track \($0.id): its cells cannot be read" }
    }
}

extension Maintenance {
    /// Recomputes the hash of every chunk and looks for missing chunks.
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
        // At the server, the store holds the chunks.
        guard !isView else { return findings }
        findings.forgotten = try namedChunks().filter { !known.contains($0.piece.reference.hash) }
        return findings
    }

    /// Recomputes every line of the list of tracks and compares it with the stored one.
    func trackFindings() throws -> TrackFindings {
        var findings = TrackFindings()
        for place in try trackPlaces() {
            findings.checked += 1
            do {
                if try projection.storedLine(of: place) != projection.freshLine(of: place) {
                    findings.differing.append(place)
                }
            } catch  where error is ReplicaError || error is CBORError || error is ChunkError {
                findings.unreadable.append(place)
            }
        }
        return findings
    }

    /// Returns the tracks that have a row or a line.
    private func trackPlaces() throws -> [RowAddress] {
        let rows = try collections.collections(feeding: .tracks).flatMap { schema in
            try database.all(
                "SELECT space, row FROM row WHERE collection = \(schema.name.string)"
            ) { row in
                (try? Row(decoding: row.blob(1)))?.id
                    .map { RowAddress(space: row.integer(0), id: $0) }
            }
        }
        .compactMap { $0 }
        let lines = try database.all("SELECT space, id FROM track") {
            RowAddress(space: $0.integer(0), id: $0.id(1))
        }
        return Set(rows).union(lines).sorted { ($0.space, $0.id) < ($1.space, $1.id) }
    }

    /// Returns every chunk that a readable cell of a track names.
    private func namedChunks() throws -> [NamedChunk] {
        try trackPlaces().flatMap { place in
            do {
                let ofTrack = try points.pieces(of: place).map { ($0, false) }
                let ofFile = try originals.pieces(of: place).map { ($0, true) }
                return (ofTrack + ofFile).map { NamedChunk(place: place, piece: $0, isOfFile: $1) }
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
