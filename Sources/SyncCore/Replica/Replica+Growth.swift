extension Replica {
    /// The tracks of a space that an imported one goes on from: they came from files too, and every
    /// reading of theirs stands at its place in this one, as when a log was taken in while it was
    /// written.
    ///
    /// None with marks, which are a person's and do not move, and none in the trash.
    package func tracks(
        outgrownBy imported: ImportedTrack,
        as name: ImportName,
        in space: Identifier
    ) throws -> [AlikeTrack] {
        guard let start = imported.samples.first(where: { $0.time != nil })?.time else { return [] }
        return try database.read {
            let number = try number(ofSpace: space)
            let places = try database.all(
                """
                SELECT id FROM track
                WHERE space = $1 AND start = $2 AND deleted = 0 AND samples BETWEEN 1 AND $3
                    AND id != $4
                ORDER BY id
                """,
                .integer(number),
                .integer(start.milliseconds),
                .count(imported.samples.count),
                .id(name.track)
            ) { TrackPlace(space: number, id: $0.id(0)) }
            return try places.filter { try isBeginning($0, of: imported.samples) }
                .map { AlikeTrack(track: $0.id, shiftMilliseconds: 0, isCovered: true) }
        }
    }

    private func isBeginning(_ place: TrackPlace, of samples: PackedSamples) throws -> Bool {
        let status = try storedRow(place.space, TrackField.collection, .id(place.id))?
            .cell(TrackField.status)
        guard status?.stamp.time == Stamp.importTime,
            try storedRow(place.space, Mark.collection, .id(place.id)) == nil
        else { return false }
        var rest = samples.makeIterator()
        for piece in try pieces(of: place) {
            guard try readableChunk(of: piece, in: place) == piece.reference.hash,
                let own = try self.samples(in: piece.reference.hash),
                own.allSatisfy({ sample in rest.next().map(sample.isPart) ?? false })
            else { return false }
        }
        return true
    }
}

extension Sample {
    /// Whether another has all readings of this one: the last epoch of a log may have been cut.
    fileprivate func isPart(of other: Sample) -> Bool {
        readings.allSatisfy { other[count: $0.channel] == $0.count }
    }
}
