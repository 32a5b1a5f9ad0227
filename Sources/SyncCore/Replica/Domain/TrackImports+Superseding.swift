extension TrackImports {
    /// Returns the imported tracks that are a beginning of the new one.
    ///
    /// This happens when a log is imported while a recorder still writes it. All readings must be
    /// equal at the same index, except in the last two seconds. Tracks in the trash do not count,
    /// nor do tracks with a person's marks or edits, which cannot move.
    package func superseded(
        outgrownBy imported: ImportedTrack,
        as name: ImportName,
        in space: Identifier
    ) throws -> [DuplicateTrack] {
        guard let start = imported.samples.first(where: { $0.time != nil })?.time else { return [] }
        let number = try spaces.number(ofSpace: space)
        let places = try database.all(
            """
            SELECT id FROM track
            WHERE space = \(number) AND start = \(start.milliseconds) AND deleted = 0 AND samples
                BETWEEN 1 AND \(imported.samples.count)
                AND id != \(name.track)
            ORDER BY id
            """
        ) { RowAddress(space: number, id: $0.id(0)) }
        return try places.filter { try isBeginning($0, of: imported.samples) }
            .map { DuplicateTrack(track: $0.id, shiftMilliseconds: 0, isCovered: true) }
    }

    private func isBeginning(_ place: RowAddress, of samples: PackedSamples) throws -> Bool {
        let row = try rows.find(place.space, TrackField.collection, .id(place.id))?.cells ?? [:]
        guard row[TrackField.status]?.stamp.time == Stamp.importTime, TrackEdits(row).isEmpty,
            try !marks.hasOwn(place)
        else { return false }
        let pieces = try points.pieces(of: place)
        let end =
            pieces.compactMap(\.reference.summary?.bounds.times?.upperBound.milliseconds).max()
            ?? .max
        var rest = samples.makeIterator()
        var alikeCount = 0
        for piece in pieces {
            guard try chunks.readable(of: piece, in: place) == piece.reference.hash,
                let own = try chunks.samples(in: piece.reference.hash)
            else { return false }
            for sample in own {
                if rest.next().map(sample.isPart) ?? false {
                    alikeCount += 1
                } else if let time = sample.time?.milliseconds, time > end - Self.openMilliseconds {
                    return alikeCount >= Self.alikeMinimum
                } else {
                    return false
                }
            }
        }
        return true
    }

    /// The time at the end of an import in which its samples may differ.
    ///
    /// A log that ends within an epoch lacks sentences of its last second. Samples without a time
    /// are spread differently over that second once the log goes on.
    private static let openMilliseconds: Int64 = 2000
    /// The minimum number of equal samples before that time.
    private static let alikeMinimum = 10
}

extension Sample {
    /// Returns whether another sample has all readings of this one: a log may end within an epoch.
    fileprivate func isPart(of other: Sample) -> Bool {
        readings.allSatisfy { other[count: $0.channel] == $0.count }
    }
}
