/// The outcome of importing one track of a file.
public struct ImportedRow: Hashable, Sendable {
    /// The track's id, derived from the file's hash and the track's place in the file.
    public let track: Identifier
    /// Whether the track is new.
    public let isNew: Bool
    /// Whether the track exists and is in the trash.
    public let isDeleted: Bool
}

/// The id and stream of an imported or copied track, the same on all devices of the person.
///
/// For an import, both follow from the file's hash and the track's place in the file, and in a shared
/// space from the person, too.
package struct ImportName: Hashable, Sendable {
    package let track: Identifier
    let stream: UInt64
    /// What says who makes the track in a shared space.
    let edits: [Edit]

    /// The names in the own space.
    package init(file: Digest, place: Int) {
        let names = Digest(
            of: Array("wake/1/import".utf8) + file.bytes + UInt64(place).bigEndianBytes
        )
        self.init(NewRow(Identifier(bytes: names.bytes[..<16]) ?? .zero), names)
    }

    /// The names in a shared space.
    init(_ maker: RowMaker, in space: Identifier) {
        let names = Digest(of: maker.preimage(in: space).bytes)
        self.init(NewRow(maker, in: space, TrackField.collection), names)
    }

    private init(_ row: NewRow, _ names: Digest) {
        (track, edits) = (row.id, row.edits)
        stream = UInt64(bigEndian: names.bytes[16..<24])
    }
}

package struct TrackImports: ReplicaPart {
    package let context: ReplicaContext

    /// Returns the id and stream of a track of a file: the same for this person's imports of the file.
    package func name(file: Digest, place: Int, in space: Identifier) throws -> ImportName {
        let salt = file.bytes + UInt64(place).bigEndianBytes
        return try rows.maker(salt: salt, in: space).map { ImportName($0, in: space) }
            ?? ImportName(file: file, place: place)
    }

    /// Imports one track of a file.
    ///
    /// Idempotent on all devices: ids are derived from the file, and the cells have the import
    /// stamp, which is below every other. A later rename or deletion stays.
    package func insert(
        _ imported: ImportedTrack,
        as name: ImportName,
        of original: OriginalUse? = nil,
        into space: Identifier,
        now: Moment
    ) throws -> ImportedRow {
        let row = try preview(name, in: space)
        guard row.isNew else { return row }
        let track = try address(name.track, in: space)
        let points = try points.insert(
            imported.samples.chunks,
            from: SampleName(stream: name.stream, index: 0),
            into: track,
            by: FixRule(sport: imported.sport),
            origin: { _ in .file }
        )
        let file = try original.map { try originals.keep($0, of: track) } ?? []
        let edits = name.edits + imported.edits(of: name.track) + points + file
        try rows.apply(edits, in: track.space, at: now)
        return row
    }

    /// Returns what an import of a track would do.
    package func preview(_ name: ImportName, in space: Identifier) throws -> ImportedRow {
        let number = try spaces.number(ofSpace: space)
        let present = try rows.find(number, TrackField.collection, .id(name.track))
        return ImportedRow(
            track: name.track,
            isNew: present?.cells.isEmpty ?? true,
            isDeleted: present?.cell(FieldSchema.deleted.name)?.value.bool == true
        )
    }

    /// Stores the wanted chunks of a known track again that its file has; returns how many.
    ///
    /// A chunk is wanted if it has not arrived, or if it was damaged and set aside.
    package func storeWanted(
        of imported: ImportedTrack,
        as name: ImportName,
        of original: OriginalUse?,
        in space: Identifier
    ) throws -> Int {
        let track = try address(name.track, in: space)
        guard try chunks.isAnyWanted(by: track) else { return 0 }
        let pieces = original.map { $0.file.pieces.map(\.chunk) } ?? []
        var count = 0
        for bytes in imported.samples.chunks.map(\.bytes) + pieces {
            let hash = Digest(of: bytes)
            guard try chunks.isWanted(hash) else { continue }
            try chunks.store(bytes, of: hash)
            count += 1
        }
        return count
    }
}

extension ImportedTrack {
    /// Truncates texts above the cell limit and returns how many there were.
    ///
    /// Truncation is the same on every device. The original file still has the whole text.
    package mutating func cutTexts() -> Int {
        let fields: [WritableKeyPath<ImportedTrack, String>] = [\.name, \.sport, \.notes, \.device]
        var count = 0
        for field in fields where self[keyPath: field].utf8.count > Limits.textByteLimit {
            self[keyPath: field] = self[keyPath: field].cut(toByteCount: Limits.textByteLimit)
            count += 1
        }
        return count
    }

    fileprivate func edits(of track: Identifier) -> [Edit] {
        func edit(_ field: Text, _ value: Value) -> Edit {
            Edit(track, field, value, origin: .file)
        }
        let texts = [(TrackField.name, name), (TrackField.sport, sport), (TrackField.notes, notes)]
        let device = device.isEmpty ? [] : [edit(TrackField.device, .text(Text(device)))]
        let laps = laps.isEmpty ? [] : [edit(TrackField.laps, .list(laps.map(\.value)))]
        let totals = totals == Totals() ? [] : [edit(TrackField.totals, totals.value)]
        return texts.filter { !$0.1.isEmpty }.map { edit($0.0, .text(Text($0.1))) }
            + (start.map { [edit(TrackField.start, $0.value)] } ?? [])
            + [edit(TrackField.status, .text("stopped"))] + device + laps + totals
    }
}

extension ImportedTrack.Lap {
    /// `[start, milliseconds, centimetres]`, with null for figures that the device did not record.
    fileprivate var value: Value {
        .list([
            .integer(start.milliseconds), milliseconds.map(Value.integer) ?? .null,
            centimetres.map(Value.integer) ?? .null,
        ])
    }
}

extension ImportedTrack.Totals {
    fileprivate var value: Value {
        let figures: [(Text, Int64?)] = [
            ("ascent", ascentMetres), ("centimetres", centimetres), ("descent", descentMetres),
            ("elapsed", elapsedMilliseconds), ("kilocalories", kilocalories),
            ("timer", timerMilliseconds),
        ]
        return .map(figures.reduce(into: [:]) { $0[$1.0] = $1.1.map(Value.integer) })
    }
}

extension String {
    /// Returns the text, truncated with an ellipsis if it exceeds the limit in bytes.
    func cut(toByteCount limit: Int) -> String {
        guard utf8.count > limit else { return self }
        let mark = "…"
        var rest = limit - mark.utf8.count
        var end = unicodeScalars.startIndex
        while end < unicodeScalars.endIndex {
            rest -= UTF8.width(unicodeScalars[end])
            guard rest >= 0 else { break }
            end = unicodeScalars.index(after: end)
        }
        return self[..<end] + mark
    }
}
