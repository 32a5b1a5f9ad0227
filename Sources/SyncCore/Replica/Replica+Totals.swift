/// What the chunks of a track add up to.
struct TrackTotal {
    /// The way through the chunks that are here.
    fileprivate(set) var way: Way
    /// Their points.
    fileprivate(set) var pointCount = 0
    /// How many are not here.
    fileprivate(set) var missingCount = 0
}

extension Replica {
    /// Adds up what is kept of a track's chunks.
    func total(
        of pieces: [Piece],
        in place: TrackPlace,
        by rule: FixRule
    ) throws -> TrackTotal {
        var total = TrackTotal(way: Way(rule))
        for piece in pieces {
            let present = try readableChunk(of: piece, in: place)
            if present != piece.reference.hash { total.missingCount += 1 }
            guard let present, let chunk = try summary(of: present, by: rule) else { continue }
            total.pointCount += chunk.pointCount
            total.way.add(metres: chunk.metres, ends: chunk.ends)
        }
        return total
    }

    /// The way through all that is here of a track, and then through `rest`.
    func way(through rest: ChunkSummary, after place: TrackPlace) throws -> Way {
        let rule = try rule(of: place)
        var way = try total(of: pieces(of: place), in: place, by: rule).way
        way.add(metres: rest.distanceMetres, ends: rest.ends)
        return way
    }

    /// What a track's fixes are judged by.
    package func rule(of track: Identifier, in space: Identifier) throws -> FixRule {
        try database.read {
            try rule(of: TrackPlace(space: try number(ofSpace: space), id: track))
        }
    }

    func rule(of place: TrackPlace) throws -> FixRule {
        TrackField.rule(
            try storedRow(place.space, TrackField.collection, .id(place.id))?.cells ?? [:]
        )
    }

    /// Judges the chunks of a track again that another rule would see otherwise: its sport changed.
    func judgeAnew(_ place: TrackPlace) throws {
        let rule = try rule(of: place)
        for piece in try pieces(of: place) {
            guard let hash = try readableChunk(of: piece, in: place),
                let stored = try storedSummary(of: hash), !stored.holds(for: rule),
                let samples = try samples(in: hash)
            else { continue }
            try keep(ChunkSummary(of: samples, by: rule), of: hash)
        }
    }

    /// What is kept of a chunk beside its bytes.
    private struct StoredSummary {
        let pointCount: Int
        let metres: Double
        let ends: [Sample]
        /// The rule that its points were judged by, and the greatest speed that was seen.
        let rule: FixRule
        let greatestSpeed: Double

        /// Whether another rule says the same.
        func holds(for other: FixRule) -> Bool {
            rule == other || greatestSpeed <= min(rule.speedLimit, other.speedLimit)
        }
    }

    private func summary(of hash: Digest, by rule: FixRule) throws -> StoredSummary? {
        guard let stored = try storedSummary(of: hash), !stored.holds(for: rule),
            let samples = try samples(in: hash)
        else { return try storedSummary(of: hash) }
        let summary = ChunkSummary(of: samples, by: rule)
        return StoredSummary(
            pointCount: summary.pointCount,
            metres: summary.distanceMetres,
            ends: summary.ends,
            rule: rule,
            greatestSpeed: summary.greatestSpeed
        )
    }

    private func storedSummary(of hash: Digest) throws -> StoredSummary? {
        try database.first(
            """
            SELECT points, distance, ends, speed_limit, greatest_speed FROM chunk
            WHERE hash = $1 AND bytes IS NOT NULL
            """,
            .digest(hash)
        ) {
            let ends = $0.blob(2)
            return StoredSummary(
                pointCount: Int($0.integer(0)),
                metres: $0.real(1),
                ends: ends.isEmpty ? [] : try Chunk.unpack(ends),
                rule: FixRule(speedLimit: $0.real(3)),
                greatestSpeed: $0.real(4)
            )
        }
    }

    /// Stores what was summed up beside the bytes.
    func keep(_ summary: ChunkSummary, of hash: Digest) throws {
        try database.run(
            """
            UPDATE chunk SET points = $2, distance = $3, ends = $4, speed_limit = $5,
                greatest_speed = $6
            WHERE hash = $1
            """,
            .digest(hash),
            .count(summary.pointCount),
            .real(summary.distanceMetres),
            .blob(summary.packedEnds),
            .real(summary.rule.speedLimit),
            .real(summary.greatestSpeed)
        )
    }
}

extension ChunkSummary {
    /// The ends as they are stored.
    var packedEnds: [UInt8] { ends.isEmpty ? [] : Chunk.pack(ends) }
}
