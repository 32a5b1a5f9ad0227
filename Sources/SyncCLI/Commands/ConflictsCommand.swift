import SyncCore

extension Commands {
    static let conflicts = Command(
        "conflicts",
        summary: "list what two devices wrote at once: which counts, and which does not",
        details: """
            The later write counts, everywhere alike. The other one is kept: 'wake undo ID FIELD' puts
            it back where it is of a track. Who writes the field again, knowing both, settles it.
            A track that one device deleted and another split or joined is gone with the tracks
            made of it; 'wake tracks restore ID' brings all of them back.
            """
    ) { _, context in
        let library = try await context.library()
        let conflicts = try await library.replica.conflicts(in: library.space)
        let devices = try await library.replica.devices(in: library.space)
        let preferences = try await library.preferences()
        let words = try await ChangeWords(
            of: conflicts.flatMap { [$0.winner, $0.loser] },
            in: library
        )
        let lines = conflicts.map { ConflictLine(conflict: $0, devices: devices) }
        let output = context.output
        if output.isJSON {
            output.json(.object([("conflicts", .array(lines.map(\.json)))]))
        } else if lines.isEmpty {
            output.note("no two devices wrote the same at once")
        } else {
            let rows = lines.map { $0.cells(preferences, words) }
            output.table(Table(columns: ConflictLine.columns, rows: rows))
            if lines.contains(where: { !$0.isFate }) {
                output.note("'wake undo ID FIELD' puts back what does not count")
            }
            if lines.contains(where: \.isFate) {
                output.note("'wake tracks restore ID' brings back what was deleted")
            }
        }
        return .success
    }
}

/// One conflict.
private struct ConflictLine {
    static let columns: [Table.Column] = [
        .whole("when (UTC)").ifThereIsRoom, .left("of"), .whole("field"), .left("counts"),
        .left("by").ifThereIsRoom, .left("does not"), .left("by").ifThereIsRoom,
    ]

    let conflict: Conflict
    let devices: [Identifier: Replica.KnownDevice]

    private var winner: Change { conflict.winner }
    private var loser: Change { conflict.loser }

    func cells(_ preferences: Preferences, _ words: ChangeWords) -> [String] {
        [
            preferences.time(winner.cell.stamp.wall),
            winner.key.row.id.map(words.label) ?? "settings",
            isFate ? "fate" : winner.key.shortField,
            isFate ? "deleted" : words.text(winner), device(winner),
            isFate ? "made into \(words.text(loser))" : words.text(loser), device(loser),
        ]
    }

    /// Whether they decide about the whole track in two ways.
    var isFate: Bool { winner.key != loser.key }

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
