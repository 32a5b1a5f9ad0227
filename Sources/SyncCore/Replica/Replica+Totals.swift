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
    ///
    /// One that cannot be read stays as it was judged; `verify` tells of it.
    func judgeAnew(_ place: TrackPlace) throws {
        let rule = try rule(of: place)
        let judged = try database.all(
            """
            SELECT DISTINCT c.hash, c.speed_limit, c.greatest_speed
            FROM chunk_use u JOIN chunk c ON c.hash = u.hash
            WHERE u.space = $1 AND u.track = $2 AND c.bytes IS NOT NULL AND c.speed_limit != $3
            """,
            .integer(place.space),
            .id(place.id),
            .real(rule.speedLimit)
        ) { ($0.digest(0), Judgement(limit: $0.real(1), greatestSpeed: $0.real(2))) }
        for (hash, judgement) in judged where !judgement.holds(for: rule) {
            guard let samples = readableSamples(in: hash) else { continue }
            try update(ChunkSummary(of: samples, by: rule), of: hash)
        }
    }

    /// The rule that the points of a chunk were judged by, and the greatest speed that was seen.
    private struct Judgement {
        let rule: FixRule
        let greatestSpeed: Double

        init(limit: Double, greatestSpeed: Double) {
            rule = FixRule(speedLimit: limit)
            self.greatestSpeed = greatestSpeed
        }

        /// Whether another rule says the same: what shows by itself is no matter of speed.
        func holds(for other: FixRule) -> Bool {
            if rule == other { return true }
            guard rule != .off, other != .off else { return false }
            return greatestSpeed <= min(rule.speedLimit, other.speedLimit)
        }
    }

    /// What is kept of a chunk beside its bytes.
    private struct StoredSummary {
        let pointCount: Int
        let metres: Double
        let ends: [Sample]
        let judgement: Judgement
    }

    private func summary(of hash: Digest, by rule: FixRule) throws -> StoredSummary? {
        guard let stored = try storedSummary(of: hash) else { return nil }
        guard !stored.judgement.holds(for: rule), let samples = readableSamples(in: hash)
        else { return stored }
        let summary = ChunkSummary(of: samples, by: rule)
        return StoredSummary(
            pointCount: summary.pointCount,
            metres: summary.distanceMetres,
            ends: summary.ends,
            judgement: Judgement(limit: rule.speedLimit, greatestSpeed: summary.greatestSpeed)
        )
    }

    private func readableSamples(in hash: Digest) -> [Sample]? {
        (try? samples(in: hash)) ?? nil
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
                judgement: Judgement(limit: $0.real(3), greatestSpeed: $0.real(4))
            )
        }
    }

    private func update(_ summary: ChunkSummary, of hash: Digest) throws {
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
