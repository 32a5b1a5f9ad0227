import ProgramKit
import SyncCore

enum ConflictsCommand {
    static let command = Command(
        "conflicts",
        "[ID]",
        summary: "list concurrent edits, and which of them won",
        details: """
            Two devices edited the same field without knowing of each other's edit. The
            later edit wins on every device. The other one is kept: 'wake undo ID FIELD'
            restores it. Editing the field again resolves the conflict.

            If one device deleted a track and another split or joined it, neither the track
            nor the tracks made from it are shown. 'wake restore ID' restores all of them.
            """
    ) { arguments, context in
        let library = try await context.library()
        let conflicts = try await conflicts(arguments.optional("ID"), in: library)
        let devices = try await library.replica.read { try $0.devices.all(in: library.space) }
        let preferences = try await library.preferences()
        let words = try await library.words(for: conflicts.flatMap { [$0.winner, $0.loser] })
        let lines = conflicts.map { ConflictLine(conflict: $0, devices: devices, words: words) }
        let output = context.output
        await output.list("conflicts", lines, none: "no conflicts", json: \.json) {
            let rows = lines.map { $0.cells(preferences) }
            output.table(Table(columns: ConflictLine.columns, rows: rows))
            if conflicts.contains(where: { !$0.isAboutRow }) {
                output.note("'wake undo ID FIELD' restores the overwritten value")
            }
            if conflicts.contains(where: \.isAboutRow) {
                output.note("'wake restore ID' restores what was deleted")
            }
        }
        return .success
    }

    /// Returns the conflicts of one row, or of all rows.
    private static func conflicts(_ word: String?, in library: Library) async throws -> [Conflict] {
        guard let word else {
            return try await library.replica.read { try $0.conflicts.all(in: library.space) }
        }
        let row = try await library.row(word).name
        return try await library.replica.read {
            try $0.conflicts.ofRow(of: row.collection, .id(row.id), in: library.space)
        }
    }
}

/// A line of the table of conflicts.
private struct ConflictLine {
    static let columns: [Table.Column] = [
        .whole("when (UTC)").ifThereIsRoom, .left("item"), .whole("field"), .left("won"),
        .left("by").ifThereIsRoom, .left("overwritten"), .left("by").ifThereIsRoom,
    ]

    let conflict: Conflict
    let devices: [Identifier: KnownDevice]
    let words: RowWords

    private var winner: Change { conflict.winner }
    private var loser: Change { conflict.loser }

    func cells(_ preferences: Preferences) -> [String] {
        let isAboutRow = conflict.isAboutRow
        return [
            preferences.time(winner.cell.stamp.wall), words.label(winner.key),
            isAboutRow ? "deletion" : words.field(winner.key),
            isAboutRow ? "deleted" : words.text(winner), device(winner),
            isAboutRow ? "turned into \(words.text(loser))" : words.text(loser), device(loser),
        ]
    }

    private func device(_ change: Change) -> String {
        let replica = change.cell.stamp.replica
        return devices[replica]?.name ?? "replica \(replica.short)"
    }

    var json: JSON {
        .object([
            ("collection", .text(winner.key.collection.string)),
            ("row", .text(winner.key.row.description)),
            ("field", .text(winner.key.field.string)),
            ("loserField", .text(loser.key.field.string)),
            ("winner", write(winner)), ("loser", write(loser)),
        ])
    }

    private func write(_ change: Change) -> JSON {
        .object([
            ("value", .value(change.cell.value)), ("time", .time(change.cell.stamp.wall)),
            ("deviceName", .text(device(change))),
        ])
    }
}
