/// The result of a check of the chunks.
struct ChunkFindings {
    /// Chunks whose bytes were checked.
    var checked = 0
    /// Chunks whose bytes have another hash or cannot be unpacked.
    var damaged: [Digest] = []
    /// Chunks whose stored summary or ends do not match their bytes.
    var misread: [Digest] = []
    /// Cells that state another summary of their chunk than its samples have.
    ///
    /// That is the author's fault, and no fault of this replica, which believes the samples.
    var misstated: [NamedChunk] = []
    /// Wanted chunks that have not arrived.
    var missing = 0
    /// Chunks that a cell names, and that are neither stored nor wanted.
    var forgotten: [NamedChunk] = []
    /// Chunks that are here or requested, and not recorded as used by their track.
    var unrecorded: [NamedChunk] = []
    /// Chunks whose only copy was damaged, with their tracks.
    var lost: [(hash: Digest, track: Identifier)] = []

    var misstatements: [String] {
        misstated.map {
            "track \($0.place.id) states another distance, time or place of chunk "
                + "\($0.piece.reference.hash) than its samples have"
        }
    }

    var lostFaults: [String] {
        lost.map { "chunk \($0.hash) of track \($0.track): its only copy is damaged" }
    }

    var faults: [String] {
        damaged.map { "chunk \($0): its bytes do not match its hash, or are not a chunk" }
            + misread.map { "chunk \($0): its stored summary does not match its bytes" }
            + forgotten.map { "\($0.words) is missing and not requested" }
            + unrecorded.map { "\($0.words) is not recorded as one of its chunks" }
    }
}

struct NamedChunk {
    let place: RowAddress
    let piece: ChunkUse

    var words: String { "chunk \(piece.reference.hash) of track \(place.id)" }
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
            "SELECT hash, summary, ends FROM chunk"
        ) { row in
            let hash = row.digest(0)
            known.insert(hash)
            if let bytes = try chunks.bytes(hash) {
                findings.take(bytes, row, hash)
            } else {
                findings.missing += 1
            }
        }
        // At the server, the store holds the chunks.
        guard !isView else { return findings }
        findings.lost = try database.all(
            "SELECT hash, track FROM damaged_chunk JOIN chunk USING (hash) ORDER BY hash"
        ) { ($0.digest(0), $0.id(1)) }
        let named = try namedChunks()
        findings.forgotten = named.filter { !known.contains($0.piece.reference.hash) }
        findings.unrecorded = try named.filter {
            let piece = $0.piece
            return try known.contains(piece.reference.hash)
                && !chunks.hasUse(of: piece.reference, from: piece.first, by: $0.place)
        }
        let misread = Set(findings.misread)
        findings.misstated = try named.filter {
            try !misread.contains($0.piece.reference.hash) && isMisstated($0)
        }
        return findings
    }

    /// Whether the chunk has arrived, and its samples have another summary than the cell states.
    private func isMisstated(_ named: NamedChunk) throws -> Bool {
        let hash = named.piece.reference.hash
        guard let stated = named.piece.reference.summary,
            let stored = try chunks.summary(of: hash)?.summary
        else { return false }
        guard stated.bounds == stored.bounds else { return true }
        guard let rule = stated.filtered?.rule else { return false }
        if let same = stored.by(rule) { return !stated.isNear(same) }
        guard let samples = try? chunks.samples(in: hash) else { return false }
        return !stated.isNear(ChunkSummary(of: samples, by: rule))
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
                return try rows.collectionNames(in: place.space).flatMap { collection in
                    try rows.find(place.space, collection, .id(place.id))?.cells
                        .compactMap { ChunkUse(field: $0, $1) } ?? []
                }
                .map { NamedChunk(place: place, piece: $0) }
            } catch  where error is ReplicaError || error is CBORError {
                return []
            }
        }
    }
}

extension ChunkFindings {
    fileprivate mutating func take(_ bytes: [UInt8], _ row: Statement, _ hash: Digest) {
        checked += 1
        guard Digest(of: bytes) == hash, let content = try? Chunk.content(of: bytes) else {
            damaged.append(hash)
            return
        }
        guard case .samples(let samples) = content else { return }
        guard let stored = row.chunkSummary(1), let filtered = stored.filtered,
            stored.isNear(ChunkSummary(of: samples, by: filtered.rule)),
            (try? row.chunkEnds(2)) == samples.ends
        else {
            misread.append(hash)
            return
        }
    }
}
