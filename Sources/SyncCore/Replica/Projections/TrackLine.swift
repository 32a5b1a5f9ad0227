/// A record of the table `track`.
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
    /// The missing chunks whose points and distance are not in the sums.
    var unmeasured: Int
    var isDeleted: Bool
    /// Nil if the record is damaged.
    var standing: Track.Standing?
    var notes: String?
    var box: ChunkSummary.Box?
}

extension Statement {
    /// Reads a track's line; `column` is the one of `name`.
    func trackLine(_ column: Int32) -> TrackLine {
        TrackLine(
            name: isNull(column) ? nil : text(column),
            sport: isNull(column + 1) ? nil : text(column + 1),
            status: isNull(column + 2) ? nil : text(column + 2),
            start: trackStart(column + 3),
            finish: isNull(column + 6) ? nil : integer(column + 6),
            samples: Int(integer(column + 7)),
            points: Int(integer(column + 8)),
            distance: real(column + 9),
            missing: Int(integer(column + 10)),
            unmeasured: Int(integer(column + 18)),
            isDeleted: integer(column + 11) != 0,
            standing: Track.Standing(rawValue: integer(column + 12)),
            notes: isNull(column + 13) ? nil : text(column + 13),
            box: box(column + 14)
        )
    }

    private func trackStart(_ column: Int32) -> TrackStart? {
        guard !isNull(column) else { return nil }
        return TrackStart(
            UnixTime(milliseconds: integer(column)),
            offset: isNull(column + 1) ? nil : UTCOffset(minutes: integer(column + 1)),
            zone: isNull(column + 2) ? nil : ZoneName(text(column + 2))
        )
    }

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

extension Track {
    init(_ id: Identifier, _ line: TrackLine) {
        self.init(
            id: id,
            name: line.name,
            sport: line.sport,
            notes: line.notes,
            status: line.status.flatMap(Status.init),
            start: line.start,
            finish: line.finish.map(UnixTime.init(milliseconds:)),
            sampleCount: line.samples,
            pointCount: line.points,
            distanceMetres: line.distance,
            box: line.box,
            missingChunkCount: line.missing,
            unmeasuredChunkCount: line.unmeasured,
            isDeleted: line.isDeleted,
            standing: line.standing ?? .shown
        )
    }
}
