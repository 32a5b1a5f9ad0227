/// What an import did with one track of a file.
public struct ImportedRow: Hashable, Sendable {
    /// The track's row, made from the file's hash and the track's place in it.
    public let track: Identifier
    /// Whether it was not there before.
    public let isNew: Bool
    /// Whether the track was there and lies in the trash.
    public let isDeleted: Bool
}

extension Replica {
    /// Takes in one track of a file.
    ///
    /// Its names are made from the file and its cells are stamped below every other write, so the
    /// same file twice, on one device or on two, is one track, and a rename or a deletion stays.
    package func importTrack(
        _ imported: ImportedTrack,
        from file: Digest,
        at place: Int,
        into space: Identifier,
        now: UnixTime
    ) throws -> ImportedRow {
        let names = Digest(
            of: Array("wake/1/import".utf8) + file.bytes + UInt64(place).bigEndianBytes
        )
        guard let id = Identifier(bytes: names.bytes[..<16]) else {
            throw ReplicaError.damagedRecord
        }
        let stream = UInt64(bigEndian: names.bytes[16..<24])
        return try write {
            let track = TrackPlace(space: try number(ofSpace: space), id: id)
            let before = try storedRow(track.space, TrackField.collection, .id(id))
            guard before == nil else {
                let isDeleted = before?.cell(TrackField.deleted)?.value.bool == true
                return ImportedRow(track: id, isNew: false, isDeleted: isDeleted)
            }
            let points = try pack(
                imported.samples,
                from: SampleName(stream: stream, index: 0),
                into: track,
                origin: { _ in .file }
            )
            try apply(imported.edits(of: id) + points, in: track.space, at: now)
            return ImportedRow(track: id, isNew: true, isDeleted: false)
        }
    }
}

extension ImportedTrack {
    fileprivate func edits(of track: Identifier) -> [Edit] {
        func edit(_ field: Text, _ value: Value) -> Edit {
            Edit(Key(TrackField.collection, .id(track), field), value, origin: .file)
        }
        let texts = [
            (TrackField.name, name), (TrackField.sport, sport), (TrackField.notes, notes),
        ]
        let start = samples.lazy.compactMap(\.time).first
        return texts.filter { !$0.1.isEmpty }.map { edit($0.0, .text(Text($0.1))) }
            + (start.map { [edit(TrackField.start, TrackField.start($0))] } ?? [])
            + [edit(TrackField.status, .text("stopped"))]
    }
}
