extension TrackImports {
    /// The tracks of a space that an imported one goes on from: they came from files too, and every
    /// reading of theirs but those of their last two seconds stands at its place in this one, as when
    /// a log was taken in while it was written.
    ///
    /// None with marks or edits, which are a person's and do not move, and none in the trash.
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
        let end = pieces.compactMap(\.reference.times?.upperBound.milliseconds).max() ?? .max
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

    /// A log that ends within an epoch is read otherwise there once it goes on: its last second has
    /// fewer sentences, and those without a time are spread over it.
    private static let openMilliseconds: Int64 = 2000
    /// With fewer samples before that it is not known again by them.
    private static let alikeMinimum = 10
}

extension Sample {
    /// Whether another has all readings of this one: the last epoch of a log may have been cut.
    fileprivate func isPart(of other: Sample) -> Bool {
        readings.allSatisfy { other[count: $0.channel] == $0.count }
    }
}
