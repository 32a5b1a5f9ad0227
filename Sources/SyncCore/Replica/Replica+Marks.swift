extension Replica {
    /// The marks of a track, by time.
    public func marks(of track: Identifier, in space: Identifier) throws -> [Mark] {
        try cells(Mark.collection, .id(track), in: space)
            .compactMap { field, cell in Mark(field, cell.value) }
            .sorted { ($0.time, $0.field) < ($1.time, $1.field) }
    }

    /// Writes marks on what is recorded; one of the same field comes over the one before.
    package func write(_ marks: [Mark], on recording: Recording, at now: UnixTime) throws {
        guard !marks.isEmpty else { return }
        try write {
            let place = try place(of: recording)
            let edits = marks.map { Edit(Key(Mark.collection, .id(place.id), $0.field), $0.value) }
            try apply(edits, in: place.space, at: now)
        }
    }

    /// Writes marks on a track.
    package func write(
        _ marks: [Mark],
        on track: Identifier,
        in space: Identifier,
        at now: UnixTime
    ) throws {
        let edits = marks.map { Edit(Key(Mark.collection, .id(track), $0.field), $0.value) }
        try write(edits, in: space, at: now)
    }

    /// How a recording stands; somebody else may have written that it pauses or ends.
    package func status(of recording: Recording) throws -> Track.Status? {
        let place = try place(of: recording)
        let row = try storedRow(place.space, TrackField.collection, .id(place.id))
        return row?.cell(TrackField.status)?.value.text.flatMap(Track.Status.init)
    }
}
