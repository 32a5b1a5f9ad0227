extension Replica {
    /// The tracks of a space, the latest first; of deleted ones, those in the trash.
    public func tracks(in space: Identifier, deleted: Bool = false) throws -> [Track] {
        deleted
            ? try tracks(
                """
                SELECT id, name, sport, status, start, start_offset, start_zone, finish, samples,
                    points, distance, missing, deleted, standing, notes, south, west, north, east
                FROM track WHERE space = $1 AND deleted = 1 ORDER BY start DESC, id
                """,
                in: space
            )
            : try tracks(
                """
                SELECT id, name, sport, status, start, start_offset, start_zone, finish, samples,
                    points, distance, missing, deleted, standing, notes, south, west, north, east
                FROM track WHERE space = $1 AND deleted = 0 AND standing = 0
                ORDER BY start DESC, id
                """,
                in: space
            )
    }

    /// The tracks of a space that are in neither list: others show what they are, or they are
    /// alternatives, or all that they are made of lies in the trash.
    public func hiddenTracks(in space: Identifier) throws -> [Track] {
        try tracks(
            """
            SELECT id, name, sport, status, start, start_offset, start_zone, finish, samples,
                points, distance, missing, deleted, standing, notes, south, west, north, east
            FROM track WHERE space = $1 AND deleted = 0 AND standing != 0 ORDER BY start DESC, id
            """,
            in: space
        )
    }

    private func tracks(_ query: StaticString, in space: Identifier) throws -> [Track] {
        try database.read {
            let number = try number(ofSpace: space)
            let tracks = try database.all(query, .integer(number)) {
                Track($0.id(0), $0.trackLine(1))
            }
            return try withTails(tracks, in: number)
        }
    }

    /// One track, deleted or superseded too; nil where there is none.
    public func track(_ id: Identifier, in space: Identifier) throws -> Track? {
        try database.read { try readTrack(id, in: space) }
    }

    private func readTrack(_ id: Identifier, in space: Identifier) throws -> Track? {
        let number = try number(ofSpace: space)
        let line = try storedLine(of: TrackPlace(space: number, id: id))
        return try line.flatMap { try withTails([Track(id, $0)], in: number).first }
    }

    /// Adds what recorders have not packed yet.
    private func withTails(_ tracks: [Track], in space: Int64) throws -> [Track] {
        let recording = try database.all(
            "SELECT DISTINCT track FROM tail WHERE space = $1",
            .integer(space)
        ) { TrackPlace(space: space, id: $0.id(0)) }
        guard !recording.isEmpty else { return tracks }
        let kins = try recording.map { try kin(of: $0) }
        return try tracks.map { track in
            guard let kin = kins.first(where: { $0.cells[track.id] != nil }) else { return track }
            return Track(track.id, try line(of: track.id, in: kin, withTails: true))
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
    package func batches(of track: Identifier, in space: Identifier) throws -> SampleBatches {
        try database.read { try readBatches(of: track, in: space) }
    }

    private func readBatches(of track: Identifier, in space: Identifier) throws -> SampleBatches {
        let place = TrackPlace(space: try number(ofSpace: space), id: track)
        return try batches(of: track, in: try kin(of: place))
    }

    /// What a track shows.
    func batches(of track: Identifier, in kin: TrackKin) throws -> SampleBatches {
        let batches = try batches(of: kin.spans(of: track))
        return kin.isEdited(track) ? .edited(batches) : SampleBatches(batches)
    }

    /// All that was recorded of a track, whatever edits leave of it.
    func recordedBatches(of place: TrackPlace) throws -> SampleBatches {
        SampleBatches(
            try batches(
                of: recordedRuns(of: place).map { TrackKin.Span(whole: $0, of: place) }
            )
        )
    }

    /// A batch a span.
    func batches(of spans: [TrackKin.Span]) throws -> [SampleBatch] {
        let chunks = LastChunk()
        return try spans.map { try batch($0, chunks) }
    }

    /// Reads the samples of a span; none of a chunk that is not here.
    private func batch(_ span: TrackKin.Span, _ chunks: LastChunk) throws -> SampleBatch {
        switch span.run.content {
        case .tail(let samples): return SampleBatch(isApart: span.isApart) { samples[span.range] }
        case .chunk(let piece):
            let present = try readableChunk(of: piece, in: span.place)
            return SampleBatch(isApart: span.isApart) {
                guard let present else { return [] }
                let samples = try chunks.samples(in: present) { try self.samples(in: $0) ?? [] }
                return samples[span.range.clamped(to: samples.indices)]
            }
        }
    }
}

/// The chunk that was read last: a track of which much is left out shows many parts of one.
final class LastChunk {
    private var hash: Digest?
    private var samples: [Sample] = []

    func samples(in hash: Digest, read: (Digest) throws -> [Sample]) rethrows -> [Sample] {
        if self.hash != hash { (samples, self.hash) = (try read(hash), hash) }
        return samples
    }
}

extension Track {
    init(_ id: Identifier, _ line: Replica.TrackLine) {
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
            isDeleted: line.isDeleted,
            standing: line.standing
        )
    }
}
