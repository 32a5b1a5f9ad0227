/// Tracks as people see them.
public struct Tracks: ReplicaPart {
    /// The context that all parts share.
    public let context: ReplicaContext

    /// Returns the shown tracks of a space, or those in the trash, the latest first.
    public func all(in space: Identifier, deleted: Bool = false) throws -> [Track] {
        let number = try spaces.number(ofSpace: space)
        return try list(
            deleted
                ? """
                SELECT id, name, sport, status, start, start_offset, start_zone, finish, samples,
                    points, distance, missing, deleted, standing, notes, south, west, north, east,
                unmeasured
                FROM track WHERE space = \(number) AND deleted = 1 ORDER BY start DESC, id
                """
                : """
                SELECT id, name, sport, status, start, start_offset, start_zone, finish, samples,
                    points, distance, missing, deleted, standing, notes, south, west, north, east,
                unmeasured
                FROM track WHERE space = \(number) AND deleted = 0 AND standing = 0
                ORDER BY start DESC, id
                """,
            in: number
        )
    }

    /// Returns the tracks of a space that are in neither list, the latest first.
    ///
    /// A track is hidden if it is superseded or an alternative, or if all its sources are in the
    /// trash.
    public func hidden(in space: Identifier) throws -> [Track] {
        let number = try spaces.number(ofSpace: space)
        return try list(
            """
            SELECT id, name, sport, status, start, start_offset, start_zone, finish, samples,
                points, distance, missing, deleted, standing, notes, south, west, north, east,
                unmeasured
            FROM track WHERE space = \(number) AND deleted = 0 AND standing != 0
            ORDER BY start DESC, id
            """,
            in: number
        )
    }

    /// Runs a query of whole lines: the conditions in its text are those of the partial indexes.
    private func list(_ query: SQL, in space: Int64) throws -> [Track] {
        try withTails(database.all(query) { Track($0.id(0), $0.trackLine(1)) }, in: space)
    }

    /// Returns a track, even if it is deleted or superseded, or nil if there is none.
    public func find(_ id: Identifier, in space: Identifier) throws -> Track? {
        let number = try spaces.number(ofSpace: space)
        let line = try projection.storedLine(of: RowAddress(space: number, id: id))
        return try line.flatMap { try withTails([Track(id, $0)], in: number).first }
    }

    /// Adds unpacked samples to the tracks.
    private func withTails(_ tracks: [Track], in space: Int64) throws -> [Track] {
        let recording = try database.all(
            "SELECT DISTINCT track FROM tail WHERE space = \(space) AND lost = 0"
        ) { RowAddress(space: space, id: $0.id(0)) }
        guard !recording.isEmpty else { return tracks }
        let graphs = try recording.map { try projection.graph(of: $0) }
        return try tracks.map { track in
            guard let graph = graphs.first(where: { $0.cells[track.id] != nil }) else {
                return track
            }
            return Track(track.id, try projection.line(of: track.id, in: graph, withTails: true))
        }
    }

    /// Returns the rule by which a track's outliers are detected.
    package func rule(of track: Identifier, in space: Identifier) throws -> FixRule {
        try projection.rule(of: address(track, in: space))
    }

    /// Returns all available samples of a track in order, unpacked ones last.
    public func samples(of track: Identifier, in space: Identifier) throws -> Samples {
        try batches(of: track, in: space).all()
    }

    /// Returns the same samples, which are read chunk by chunk inside the same transaction.
    package func batches(of track: Identifier, in space: Identifier) throws -> SampleBatches {
        let place = try address(track, in: space)
        return try projection.batches(of: track, in: try projection.graph(of: place))
    }
}
