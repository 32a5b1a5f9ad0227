import SyncCore

extension Commands {
    static let tracksHistory = Command(
        "tracks history",
        "ID",
        summary: "tell every write to a track: what, when, where, and which won",
        details: """
            A field that was written again before it was sent shows its last write only.
            """
    ) { arguments, context in
        let library = try await context.library()
        let track = try await library.track(arguments.required("ID"))
        let entries = try await library.replica.history(
            of: TrackField.collection,
            .id(track.id),
            in: library.space
        )
        let devices = try await library.replica.devices(in: library.space)
        let lines = entries.map { HistoryLine(entry: $0, devices: devices) }
        let preferences = try await library.preferences()
        let words = try await ChangeWords(of: entries.map(\.change), in: library)
        let output = context.output
        output.result(
            .object([
                ("track", .text(track.id.description)),
                ("writes", .array(lines.map(\.json))),
            ])
        ) {
            let rows = lines.map { $0.cells(preferences, words) }
            return Table(columns: HistoryLine.columns, rows: rows)
                .text(columns: output.columns, isColoured: output.isColoured)
        }
        return .success
    }
}

/// One write.
private struct HistoryLine {
    static let columns: [Table.Column] = [
        .whole("when (UTC)"), .left("device").ifThereIsRoom, .whole("field"), .left("value"),
        .left("result"), .left("state").ifThereIsRoom,
    ]

    let entry: HistoryEntry
    /// The device's name, or the beginning of the replica's id.
    let device: String
    let deviceID: Identifier?

    init(entry: HistoryEntry, devices: [Identifier: Replica.KnownDevice]) {
        self.entry = entry
        let replica = entry.change.cell.stamp.replica
        deviceID = devices[replica]?.id
        device = devices[replica]?.name ?? "replica \(replica.short)"
    }

    /// Nil for what was imported or recorded: its stamp says nothing of when.
    private var time: UnixTime? {
        entry.change.isTimeless ? nil : entry.change.cell.stamp.wall
    }

    private var result: String { entry.isWinner ? "won" : "overwritten" }

    private var state: String {
        switch entry.state {
        case .unsealed, .queued: "not sent yet"
        case .accepted(let position): "at the server (\(position))"
        case .held: "held"
        case .refused(let reason): "refused: \(reason)"
        }
    }

    func cells(_ preferences: Preferences, _ words: ChangeWords) -> [String] {
        [
            time.map { preferences.time($0) } ?? "by import", device,
            entry.change.key.shortField, words.text(entry.change), result, state,
        ]
    }

    var json: JSON {
        let position: JSON =
            if case .accepted(let position) = entry.state { .integer(position) } else { .null }
        return .object([
            ("field", .text(entry.change.key.field.string)),
            ("value", .value(entry.change.cell.value)),
            ("time", .time(time)),
            ("device", .text(deviceID?.description)),
            ("deviceName", .text(device)),
            ("replica", .text(entry.change.cell.stamp.replica.description)),
            ("result", .text(result)),
            ("state", .text(stateWord)),
            ("position", position),
        ])
    }

    private var stateWord: String {
        switch entry.state {
        case .unsealed: "unsealed"
        case .queued: "queued"
        case .accepted: "accepted"
        case .held: "held"
        case .refused: "refused"
        }
    }
}
