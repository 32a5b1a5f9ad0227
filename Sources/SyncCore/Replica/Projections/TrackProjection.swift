/// The list of tracks, derived from rows and chunks: the tables `track` and `derivation`.
package struct TrackProjection: ReplicaPart {
    package let context: ReplicaContext

    /// Updates the lines of a track and its related tracks, and returns these tracks.
    func update(_ track: RowAddress) throws -> Set<RowAddress> {
        let graph = try graph(of: track)
        let sums = ChunkSums(isShared: graph.cells.count > 1)
        let updated = graph.cells.keys.sorted().map { RowAddress(space: track.space, id: $0) }
        for own in updated {
            try updateSummaries(of: own, by: TrackField.rule(graph.cells[own.id] ?? [:]))
            try project(own, in: graph, sums)
        }
        return Set(updated)
    }

    /// Writes the line of one track, or removes it if there is no track.
    private func project(_ place: RowAddress, in graph: DerivationGraph, _ sums: ChunkSums) throws {
        guard graph.isTrack(place.id) else { return try removeLine(of: place) }
        let line = try line(of: place.id, in: graph, withTails: false, sums)
        try database.run(
            """
            INSERT OR REPLACE INTO track (space, id, name, sport, status, start, start_offset,
                start_zone, finish, samples, points, distance, missing, deleted, standing, notes,
                south, west, north, east, unmeasured)
            VALUES (\(place.space), \(place.id), \(line.name), \(line.sport), \(line.status),
                \(line.start?.time.milliseconds), \(line.start?.offset.map { Int64($0.minutes) }),
                \(line.start?.zone?.text), \(line.finish), \(line.samples), \(line.points),
                \(line.distance), \(line.missing), \(line.isDeleted ? 1 : 0),
                \(line.standing?.rawValue),
                \(line.notes), \(line.box.map { Int64($0.south) }),
                \(line.box.map { Int64($0.west) }), \(line.box.map { Int64($0.north) }),
                \(line.box.map { Int64($0.east) }), \(line.unmeasured))
            """
        )
    }

    private func removeLine(of place: RowAddress) throws {
        try database.run("DELETE FROM track WHERE space = \(place.space) AND id = \(place.id)")
    }

    /// Returns a track's line as computed from rows and chunks, or nil if there is no track.
    func freshLine(of place: RowAddress) throws -> TrackLine? {
        let graph = try graph(of: place)
        guard graph.isTrack(place.id) else { return nil }
        return try line(of: place.id, in: graph, withTails: false)
    }

    /// Computes the line of a track, with unpacked samples if `withTails` is true.
    func line(
        of id: Identifier,
        in graph: DerivationGraph,
        withTails: Bool,
        _ sums: ChunkSums = ChunkSums()
    ) throws -> TrackLine {
        let cells = graph.cells[id] ?? [:]
        let spans = graph.spans(of: id).filter { withTails || !$0.run.isTail }
        let sum = try total(of: spans, by: TrackField.rule(cells), in: sums)
        return TrackLine(
            name: cells[TrackField.name]?.value.text,
            sport: cells[TrackField.sport]?.value.text,
            status: graph.status(of: id),
            start: graph.start(of: id, firstTime: sum.times?.lowerBound),
            finish: sum.times?.upperBound.milliseconds,
            samples: sum.sampleCount,
            points: sum.pointCount,
            distance: sum.distance.metres,
            missing: sum.missingCount,
            unmeasured: sum.unmeasuredCount,
            isDeleted: cells[FieldSchema.deleted.name]?.value.bool == true,
            standing: graph.lineage.standing(of: id),
            notes: cells[TrackField.notes]?.value.text,
            box: sum.box
        )
    }

    /// Returns the stored line of a track, or nil if there is none.
    func storedLine(of place: RowAddress) throws -> TrackLine? {
        try database.first(
            """
            SELECT name, sport, status, start, start_offset, start_zone, finish, samples, points,
                distance, missing, deleted, standing, notes, south, west, north, east,
                unmeasured
            FROM track WHERE space = \(place.space) AND id = \(place.id)
            """
        ) { $0.trackLine(0) }
    }
}
