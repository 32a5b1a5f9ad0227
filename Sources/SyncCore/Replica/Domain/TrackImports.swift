/// What an import did with one track of a file.
public struct ImportedRow: Hashable, Sendable {
    /// The track's row, made from the file's hash and the track's place in it.
    public let track: Identifier
    /// Whether it was not there before.
    public let isNew: Bool
    /// Whether the track was there and lies in the trash.
    public let isDeleted: Bool
}

/// What names a track of a file, on every device alike: the file's hash and the track's place in it.
package struct ImportName: Hashable, Sendable {
    package let track: Identifier
    let stream: UInt64

    package init(file: Digest, place: Int) {
        let names = Digest(
            of: Array("wake/1/import".utf8) + file.bytes + UInt64(place).bigEndianBytes
        )
        track = Identifier(bytes: names.bytes[..<16]) ?? .zero
        stream = UInt64(bigEndian: names.bytes[16..<24])
    }
}

/// Tracks that files bring.
package struct TrackImports: ReplicaPart {
    package let context: ReplicaContext

    /// Takes in one track of a file.
    ///
    /// Its names are made from the file and its cells are stamped below every other write, so the
    /// same file twice, on one device or on two, is one track, and a rename or a deletion stays.
    package func insert(
        _ imported: ImportedTrack,
        as name: ImportName,
        of original: OriginalUse? = nil,
        into space: Identifier,
        now: UnixTime
    ) throws -> ImportedRow {
        let row = try preview(name, in: space)
        guard row.isNew else { return row }
        let track = RowAddress(space: try spaces.number(ofSpace: space), id: name.track)
        let points = try points.insert(
            imported.samples.chunks,
            from: SampleName(stream: name.stream, index: 0),
            into: track,
            origin: { _ in .file }
        )
        let file = try original.map { try originals.keep($0, of: track) } ?? []
        let edits = imported.edits(of: name.track) + points + file
        try rows.apply(edits, in: track.space, at: now)
        return row
    }

    /// What an import of a track would do.
    package func preview(_ name: ImportName, in space: Identifier) throws -> ImportedRow {
        let number = try spaces.number(ofSpace: space)
        let present = try rows.find(number, TrackField.collection, .id(name.track))
        return ImportedRow(
            track: name.track,
            isNew: present?.cells.isEmpty ?? true,
            isDeleted: present?.cell(FieldSchema.deleted.name)?.value.bool == true
        )
    }
}

extension ImportedTrack {
    /// Cuts texts that no cell takes; returns how many there were.
    ///
    /// The same file is cut alike on every device, and a track is worth more than the end of its
    /// notes, which its file still has.
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
            Edit(Key(TrackField.collection, .id(track), field), value, origin: .file)
        }
        let texts = [
            (TrackField.name, name), (TrackField.sport, sport), (TrackField.notes, notes),
        ]
        let device = device.isEmpty ? [] : [edit(TrackField.device, .text(Text(device)))]
        let laps = laps.isEmpty ? [] : [edit(TrackField.laps, .list(laps.map(\.value)))]
        let totals = totals == Totals() ? [] : [edit(TrackField.totals, totals.value)]
        return texts.filter { !$0.1.isEmpty }.map { edit($0.0, .text(Text($0.1))) }
            + (start.map { [edit(TrackField.start, $0.value)] } ?? [])
            + [edit(TrackField.status, .text("stopped"))] + device + laps + totals
    }
}

extension ImportedTrack.Lap {
    /// `[start, milliseconds, centimetres]`, null where the device does not say.
    fileprivate var value: Value {
        .list([
            .integer(start.milliseconds), milliseconds.map(Value.integer) ?? .null,
            centimetres.map(Value.integer) ?? .null,
        ])
    }
}

extension ImportedTrack.Totals {
    /// A map of what the device says.
    fileprivate var value: Value {
        let figures: [(Text, Int64?)] = [
            ("ascent", ascentMetres), ("centimetres", centimetres), ("descent", descentMetres),
            ("elapsed", elapsedMilliseconds), ("kilocalories", kilocalories),
            ("timer", timerMilliseconds),
        ]
        return .map(
            Dictionary(
                uniqueKeysWithValues: figures.compactMap { name, figure in
                    figure.map { (name, .integer($0)) }
                }
            )
        )
    }
}

extension String {
    /// The text, or of a longer one its start with an ellipsis after it, within so many bytes.
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

extension ReplicaPart {
    package var imports: TrackImports { TrackImports(context: context) }
}
