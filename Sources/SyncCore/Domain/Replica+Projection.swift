/// A track's row in one of the spaces.
struct TrackPlace: Hashable {
    let space: Int64
    let id: Identifier
}

extension Replica {
    func noteForProjection(_ stored: StoredRow) throws {
        guard let id = stored.row.id, collections[stored.collection]?.projection == .tracks else {
            return
        }
        let place = TrackPlace(space: stored.space, id: id)
        dirtyTracks.insert(place)
        if stored.collection == TrackField.collection { try noteKin(of: place, stored) }
    }

    /// Makes the lines of tracks anew that changed, and those of their kin.
    func projectDirtyTracks() throws {
        while let place = dirtyTracks.popFirst() {
            let kin = try kin(of: place)
            let sums = ChunkSums(isShared: kin.cells.count > 1)
            for id in kin.cells.keys.sorted() {
                let own = TrackPlace(space: place.space, id: id)
                dirtyTracks.remove(own)
                try judgeAnew(own, by: TrackField.rule(kin.cells[id] ?? [:]))
                try project(own, in: kin, sums)
            }
        }
    }

    /// Makes one line of the `track` table anew from the row and its chunks.
    private func project(_ place: TrackPlace, in kin: TrackKin, _ sums: ChunkSums) throws {
        guard kin.isTrack(place.id) else { return try removeLine(of: place) }
        let line = try line(of: place.id, in: kin, withTails: false, sums)
        try database.run(
            """
            INSERT OR REPLACE INTO track (space, id, name, sport, status, start, start_offset,
                start_zone, finish, samples, points, distance, missing, deleted, standing, notes,
                south, west, north, east)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15,
                $16, $17, $18, $19, $20)
            """,
            .integer(place.space),
            .id(place.id),
            .optional(line.name, SQLiteValue.text),
            .optional(line.sport, SQLiteValue.text),
            .optional(line.status, SQLiteValue.text),
            .optional(line.start?.time.milliseconds, SQLiteValue.integer),
            .optional(line.start?.offset.map { Int64($0.minutes) }, SQLiteValue.integer),
            .optional(line.start?.zone?.text, SQLiteValue.text),
            .optional(line.finish, SQLiteValue.integer),
            .count(line.samples),
            .count(line.points),
            .real(line.distance),
            .count(line.missing),
            .integer(line.isDeleted ? 1 : 0),
            .integer(line.standing.rawValue),
            .optional(line.notes, SQLiteValue.text),
            .optional(line.box.map { Int64($0.south) }, SQLiteValue.integer),
            .optional(line.box.map { Int64($0.west) }, SQLiteValue.integer),
            .optional(line.box.map { Int64($0.north) }, SQLiteValue.integer),
            .optional(line.box.map { Int64($0.east) }, SQLiteValue.integer)
        )
    }

    private func removeLine(of place: TrackPlace) throws {
        try database.run(
            "DELETE FROM track WHERE space = $1 AND id = $2",
            .integer(place.space),
            .id(place.id)
        )
    }

    /// A line of the `track` table.
    struct TrackLine: Equatable {
        var name: String?
        var sport: String?
        var status: String?
        var start: TrackStart?
        var finish: Int64?
        var samples: Int
        var points: Int
        var distance: Double
        var missing: Int
        var isDeleted: Bool
        var standing: Track.Standing
        var notes: String?
        var box: ChunkSummary.Box?
    }

    /// What the line of a track should be, from the rows and the chunks of its kin; nil where there
    /// should be none.
    func freshLine(of place: TrackPlace) throws -> TrackLine? {
        let kin = try kin(of: place)
        guard kin.isTrack(place.id) else { return nil }
        return try line(of: place.id, in: kin, withTails: false)
    }

    /// The line of a track, perhaps with what recorders have not packed yet.
    func line(
        of id: Identifier,
        in kin: TrackKin,
        withTails: Bool,
        _ sums: ChunkSums = ChunkSums()
    ) throws -> TrackLine {
        let cells = kin.cells[id] ?? [:]
        let spans = kin.spans(of: id).filter { withTails || !$0.run.isTail }
        let sum = try total(of: spans, by: TrackField.rule(cells), in: sums)
        return TrackLine(
            name: cells[TrackField.name]?.value.text,
            sport: cells[TrackField.sport]?.value.text,
            status: kin.status(of: id),
            start: kin.start(of: id, firstTime: sum.times?.lowerBound),
            finish: sum.times?.upperBound.milliseconds,
            samples: sum.sampleCount,
            points: sum.pointCount,
            distance: sum.way.metres,
            missing: sum.missingCount,
            isDeleted: cells[FieldSchema.deleted.name]?.value.bool == true,
            standing: kin.lineage.standing(of: id),
            notes: cells[TrackField.notes]?.value.text,
            box: sum.box
        )
    }

    /// The line of a track as it is kept; nil where there is none.
    func storedLine(of place: TrackPlace) throws -> TrackLine? {
        try database.first(
            """
            SELECT name, sport, status, start, start_offset, start_zone, finish, samples, points,
                distance, missing, deleted, standing, notes, south, west, north, east
            FROM track WHERE space = $1 AND id = $2
            """,
            .integer(place.space),
            .id(place.id)
        ) { $0.trackLine(0) }
    }

    /// A chunk of a track and the name of its first sample.
    struct Piece {
        let first: SampleName
        let reference: ChunkReference

        /// Reads a cell that names a chunk; nil where it is another.
        init?(field: Text, _ cell: Cell) {
            guard let first = SampleName(field: field), let reference = ChunkReference(cell.value)
            else { return nil }
            (self.first, self.reference) = (first, reference)
        }
    }

    /// The chunks of a track in the order of time; a chunk whose samples another of the same
    /// stream already holds is left out.
    func pieces(of place: TrackPlace) throws -> [Piece] {
        let cells = try storedRow(place.space, TrackField.points, .id(place.id))?.cells ?? [:]
        let all = cells.compactMap { Piece(field: $0, $1) }
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
}

extension Statement {
    /// A track's line, from its column `name` on.
    func trackLine(_ column: Int32) -> Replica.TrackLine {
        Replica.TrackLine(
            name: isNull(column) ? nil : text(column),
            sport: isNull(column + 1) ? nil : text(column + 1),
            status: isNull(column + 2) ? nil : text(column + 2),
            start: trackStart(column + 3),
            finish: isNull(column + 6) ? nil : integer(column + 6),
            samples: Int(integer(column + 7)),
            points: Int(integer(column + 8)),
            distance: real(column + 9),
            missing: Int(integer(column + 10)),
            isDeleted: integer(column + 11) != 0,
            standing: Track.Standing(rawValue: integer(column + 12)) ?? .shown,
            notes: isNull(column + 13) ? nil : text(column + 13),
            box: box(column + 14)
        )
    }

    /// The columns `start`, `start_offset` and `start_zone`, from `column` on.
    private func trackStart(_ column: Int32) -> TrackStart? {
        guard !isNull(column) else { return nil }
        return TrackStart(
            UnixTime(milliseconds: integer(column)),
            offset: isNull(column + 1) ? nil : UTCOffset(minutes: integer(column + 1)),
            zone: isNull(column + 2) ? nil : ZoneName(text(column + 2))
        )
    }

    /// The columns `south`, `west`, `north` and `east` of a track's line, from `column` on.
    private func box(_ column: Int32) -> ChunkSummary.Box? {
        guard !isNull(column) else { return nil }
        return ChunkSummary.Box(
            south: Int32(clamping: integer(column)),
            west: Int32(clamping: integer(column + 1)),
            north: Int32(clamping: integer(column + 2)),
            east: Int32(clamping: integer(column + 3))
        )
    }
}
