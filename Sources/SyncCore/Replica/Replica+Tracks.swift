extension Replica {
    /// The tracks of a space, the latest first; of deleted ones, those in the trash.
    public func tracks(in space: Identifier, deleted: Bool = false) throws -> [Track] {
        try database.read { try readTracks(in: space, deleted: deleted) }
    }

    private func readTracks(in space: Identifier, deleted: Bool) throws -> [Track] {
        let number = try number(ofSpace: space)
        let tracks = try database.all(
            """
            SELECT id, name, sport, status, start, start_offset, start_zone, finish, samples,
                points, distance, missing, deleted, notes, south, west, north, east
            FROM track WHERE space = $1 AND deleted = $2
            ORDER BY start DESC, id
            """,
            .integer(number),
            .integer(deleted ? 1 : 0),
            read: Self.track
        )
        return try withTails(tracks, in: number)
    }

    /// One track, deleted or not; nil where there is none.
    public func track(_ id: Identifier, in space: Identifier) throws -> Track? {
        try database.read { try readTrack(id, in: space) }
    }

    private func readTrack(_ id: Identifier, in space: Identifier) throws -> Track? {
        let number = try number(ofSpace: space)
        let track = try database.first(
            """
            SELECT id, name, sport, status, start, start_offset, start_zone, finish, samples,
                points, distance, missing, deleted, notes, south, west, north, east
            FROM track WHERE space = $1 AND id = $2
            """,
            .integer(number),
            .id(id),
            read: Self.track
        )
        return try track.flatMap { try withTails([$0], in: number).first }
    }

    private static func track(_ row: Statement) -> Track {
        Track(
            id: row.id(0),
            name: row.isNull(1) ? nil : row.text(1),
            sport: row.isNull(2) ? nil : row.text(2),
            notes: row.isNull(13) ? nil : row.text(13),
            status: Track.Status(rawValue: row.text(3)),
            start: row.trackStart(4),
            finish: row.isNull(7) ? nil : UnixTime(milliseconds: row.integer(7)),
            sampleCount: Int(row.integer(8)),
            pointCount: Int(row.integer(9)),
            distanceMetres: row.real(10),
            box: row.box(14),
            missingChunkCount: Int(row.integer(11)),
            isDeleted: row.integer(12) == 1
        )
    }

    /// Adds what recorders have not packed yet.
    private func withTails(_ tracks: [Track], in space: Int64) throws -> [Track] {
        let recording = try database.all(
            "SELECT DISTINCT track FROM tail WHERE space = $1",
            .integer(space)
        ) { $0.id(0) }
        return try tracks.map { track in
            guard recording.contains(track.id) else { return track }
            let place = TrackPlace(space: space, id: track.id)
            let tail = ChunkSummary(
                of: try tail(of: place).flatMap(\.samples),
                by: try rule(of: place)
            )
            return track.adding(tail, metres: try way(through: tail, after: place).metres)
        }
    }

    /// Every sample of a track that is here, in order: chunk by chunk, then what is not packed.
    public func samples(of track: Identifier, in space: Identifier) throws -> [Sample] {
        // In one state of the file: a recorder may move its tail into a chunk meanwhile.
        try database.read {
            var cursor = try readBatches(of: track, in: space).cursor
            var samples: [Sample] = []
            while let sample = try cursor.next() { samples.append(sample) }
            return samples
        }
    }

    /// The same, read a chunk at a time as they are needed; for use on the replica's queue only.
    ///
    /// Which chunks those are is settled in one state of the file. A chunk never changes, and one
    /// that goes away meanwhile counts as missing.
    func batches(of track: Identifier, in space: Identifier) throws -> SampleBatches {
        try database.read { try readBatches(of: track, in: space) }
    }

    private func readBatches(of track: Identifier, in space: Identifier) throws -> SampleBatches {
        let place = TrackPlace(space: try number(ofSpace: space), id: track)
        let chunks = try pieces(of: place).compactMap { try readableChunk(of: $0, in: place) }
        let rest = try tail(of: place).flatMap(\.samples)
        return SampleBatches(
            chunks.map { hash in { try self.samples(in: hash) ?? [] } } + [{ rest }]
        )
    }
}

extension Track {
    /// With a tail; `metres` are those of all.
    fileprivate func adding(_ tail: ChunkSummary, metres: Double) -> Track {
        Track(
            id: id,
            name: name,
            sport: sport,
            notes: notes,
            status: status,
            start: start ?? tail.firstTime.map { TrackStart($0) },
            finish: [finish, tail.lastTime].compactMap { $0 }.max(),
            sampleCount: sampleCount + tail.sampleCount,
            pointCount: pointCount + tail.pointCount,
            distanceMetres: metres,
            box: box.map { tail.box?.union($0) ?? $0 } ?? tail.box,
            missingChunkCount: missingChunkCount,
            isDeleted: isDeleted
        )
    }
}
