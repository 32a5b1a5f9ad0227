import ProgramKit
import SyncCore

enum HistoryCommand {
    static let command = Command(
        "history",
        "ID",
        summary: "list all writes to a track, place or other row",
        details: details
    ) { arguments, context in
        let library = try await context.library()
        let row = try await library.row(arguments.required("ID"))
        return try await tell(historyOf: row, in: library, context)
    }

    static let details = """
        The result shows which write of a field won. If a field was written several
        times between two syncs, only the last of these writes is listed. A question
        mark stands behind a time that may be wrong: this device was restarted before a
        server could check its clock.
        """

    /// Prints every write to a row.
    static func tell(
        historyOf row: FoundRow,
        in library: Library,
        _ context: Context
    ) async throws -> ExitCode {
        let entries = try await library.replica.read {
            try $0.history.entries(of: row.name.collection, .id(row.name.id), in: library.space)
        }
        let devices = try await library.replica.read { try $0.devices.all(in: library.space) }
        let words = try await library.words(for: entries.map(\.change))
        let lines = entries.map { HistoryLine(entry: $0, devices: devices, words: words) }
        let preferences = try await library.preferences()
        context.output.result(
            .object([
                ("collection", .text(row.name.collection.string)),
                ("row", .text(row.name.id.description)),
                ("writes", .array(lines.map(\.json))),
            ]),
            table: Table(columns: HistoryLine.columns, rows: lines.map { $0.cells(preferences) })
        )
        return .success
    }
}

/// A line of the table of writes.
private struct HistoryLine {
    static let columns: [Table.Column] = [
        .whole("when (UTC)"), .left("device").ifThereIsRoom, .whole("field"), .left("value"),
        .left("result"), .left("state").ifThereIsRoom,
    ]

    let entry: HistoryEntry
    /// The device's name, or the short id of its replica.
    let device: String
    let deviceID: Identifier?
    private let words: RowWords

    init(entry: HistoryEntry, devices: [Identifier: KnownDevice], words: RowWords) {
        (self.entry, self.words) = (entry, words)
        let replica = entry.change.cell.stamp.replica
        deviceID = devices[replica]?.id
        device = devices[replica]?.name ?? "replica \(replica.short)"
    }

    /// The time of the write, or nil if it was imported or recorded: timeless stamps have none.
    private var time: UnixTime? {
        entry.change.cell.stamp.isTimeless ? nil : entry.change.cell.stamp.wall
    }

    private var doubt: String { entry.isTimeUnchecked ? " ?" : "" }

    private var result: String { entry.isWinner ? "won" : "overwritten" }

    private var state: String {
        switch entry.state {
        case .unsealed, .queued: "not sent yet"
        case .accepted(let position): "at the server (\(position))"
        case .held: "held"
        case .refused(let reason): "refused: \(reason)"
        }
    }

    func cells(_ preferences: Preferences) -> [String] {
        [
            time.map { preferences.time($0) + doubt } ?? "by import", device,
            words.field(entry.change.key), words.text(entry.change), result, state,
        ]
    }

    var json: JSON {
        let position: JSON =
            if case .accepted(let position) = entry.state { .integer(position) } else { .null }
        return .object([
            ("field", .text(entry.change.key.field.string)),
            ("value", .value(entry.change.cell.value)),
            ("time", .time(time)),
            ("isTimeUnchecked", .bool(entry.isTimeUnchecked)),
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
