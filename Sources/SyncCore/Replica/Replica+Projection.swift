/// A track's row in one of the spaces.
struct TrackPlace: Hashable {
    let space: Int64
    let id: Identifier
}

extension Replica {
    func noteForProjection(_ stored: StoredRow) throws {
        guard let id = stored.row.id,
            stored.collection == TrackField.collection || stored.collection == TrackField.points
        else { return }
        dirtyTracks.insert(TrackPlace(space: stored.space, id: id))
    }

    func projectDirtyTracks() throws {
        for place in dirtyTracks { try project(place) }
        dirtyTracks = []
    }

    /// Makes one line of the `track` table anew from the row and its chunks.
    private func project(_ place: TrackPlace) throws {
        let cells = try storedRow(place.space, TrackField.collection, .id(place.id))?.cells ?? [:]
        let pieces = try pieces(of: place)
        let sum = try total(of: pieces)
        let written = TrackField.time(cells[TrackField.start]?.value)
        let times = pieces.compactMap(\.reference.times)
        try database.run(
            """
            INSERT OR REPLACE INTO track (space, id, name, sport, status, start, finish, samples,
                points, distance, missing, deleted)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
            """,
            .integer(place.space),
            .id(place.id),
            .optional(cells[TrackField.name]?.value.text, SQLiteValue.text),
            .optional(cells[TrackField.sport]?.value.text, SQLiteValue.text),
            .optional(cells[TrackField.status]?.value.text, SQLiteValue.text),
            .optional(written ?? times.map(\.lowerBound).min()) { .integer($0.milliseconds) },
            .optional(times.map(\.upperBound).max()) { .integer($0.milliseconds) },
            .count(pieces.reduce(0) { $0 + $1.reference.sampleCount }),
            .count(sum.points),
            .real(sum.metres),
            .count(sum.missing),
            .integer(cells[TrackField.deleted]?.value.bool == true ? 1 : 0)
        )
    }

    /// A chunk of a track and the name of its first sample.
    struct Piece {
        let first: SampleName
        let reference: ChunkReference
    }

    /// The chunks of a track in the order of time; a chunk whose samples another of the same
    /// stream already holds is left out.
    func pieces(of place: TrackPlace) throws -> [Piece] {
        let cells = try storedRow(place.space, TrackField.points, .id(place.id))?.cells ?? [:]
        let all = cells.compactMap { field, cell -> Piece? in
            guard let first = SampleName(field: field), let reference = ChunkReference(cell.value)
            else { return nil }
            return Piece(first: first, reference: reference)
        }
        let streams = Dictionary(grouping: all, by: \.first.stream).values
        return streams.map(Self.withoutOverlap)
            .sorted { Self.beginning($0) < Self.beginning($1) }
            .flatMap { $0 }
    }

    private static func withoutOverlap(_ pieces: [Piece]) -> [Piece] {
        var end = 0
        return pieces.sorted { $0.first < $1.first }
            .filter { piece in
                guard piece.first.index >= end else { return false }
                end = piece.first.index + piece.reference.sampleCount
                return true
            }
    }

    /// Streams are ordered by their first time, then by name, so that all replicas agree.
    private static func beginning(_ pieces: [Piece]) -> (Int64, UInt64) {
        let times = pieces.compactMap(\.reference.times?.lowerBound.milliseconds)
        return (times.min() ?? .max, pieces.first?.first.stream ?? 0)
    }

    private func total(
        of pieces: [Piece]
    ) throws -> (points: Int, metres: Double, missing: Int) {
        var (points, missing) = (0, 0)
        var (metres, between) = (0.0, Distance())
        for piece in pieces {
            guard let chunk = try storedSummary(of: piece.reference.hash) else {
                missing += 1
                continue
            }
            points += chunk.points
            metres += chunk.metres
            guard let first = chunk.ends.first, let last = chunk.ends.last else { continue }
            let before = between.metres
            between.add(first)
            metres += between.metres - before
            between.add(last)
        }
        return (points, metres, missing)
    }

    private func storedSummary(
        of hash: Digest
    ) throws -> (points: Int, metres: Double, ends: [Sample])? {
        try database.first(
            "SELECT points, distance, ends FROM chunk WHERE hash = $1 AND bytes IS NOT NULL",
            .digest(hash)
        ) {
            let ends = $0.blob(2)
            return (
                Int($0.integer(0)), $0.real(1), ends.isEmpty ? [] : try Chunk.unpack(ends)
            )
        }
    }
}
