import ProgramKit
import SyncCore

enum UndoCommand {
    static let command = Command(
        "undo",
        "[ID] [FIELD]",
        summary: "undo the last edit made here, or restore a field",
        details: """
            Without arguments, the command undoes the last edit made on this device; run it
            again for the edit before that. 'wake redo' redoes it. Fields that were written
            again since then keep their value.

            With a row and a field, as 'wake history' lists them, the command restores the
            earlier value of the field, whichever device wrote it. Run it again to switch
            back. The beginning of a field's name is enough.
            """
    ) { arguments, context in
        let library = try await context.library()
        guard let word = arguments.optional("ID") else {
            let undoing = try await library.replica.write {
                try $0.actions.undo(in: library.space, at: context.moment())
            }
            return tell(undoing, "undone", none: "there is nothing to undo", context)
        }
        guard let field = arguments.optional("FIELD") else {
            throw UserError.usage(
                "no field to revert was given",
                hint: "'wake history \(word.withoutControls)' lists the fields; "
                    + "'wake undo' without arguments reverts the last edit"
            )
        }
        return try await putBack(field, of: try await library.row(word), in: library, context)
    }

    static func tell(
        _ undoing: Undoing?,
        _ verb: String,
        none: String,
        _ context: Context
    ) -> ExitCode {
        guard let undoing else {
            context.output.result(.object([("action", .null)])) { "" }
            context.output.note(none)
            return .success
        }
        let action = undoing.action
        context.output.result(
            .object([
                ("action", .text(action.words)), ("time", .time(action.time)),
                ("overtaken", .integer(undoing.overtaken)),
            ])
        ) { (undoing.isEmpty ? "not " : "") + "\(verb): \(action.words)\n" }
        if undoing.overtaken > 0 {
            let fields = undoing.overtaken.counted("field")
            let stay = undoing.overtaken == 1 ? "it was" : "they were"
            context.output.warn("left \(fields) unchanged: \(stay) written again since")
        }
        return .success
    }

    private static func putBack(
        _ word: String,
        of row: FoundRow,
        in library: Library,
        _ context: Context
    ) async throws -> ExitCode {
        let (name, space) = (row.name, library.space)
        let history = try await library.replica.read {
            try $0.history.entries(of: name.collection, .id(name.id), in: space)
        }
        let key = row.key(try field(word, of: row, among: history.map(\.change.key.field)))
        let value = try await library.replica.read {
            try $0.history.earlierValue(of: key, in: space)
        }
        let present = history.last { $0.change.key == key && $0.isWinner }?.change
        let unwritten = Stamp(time: 0, replica: .zero)
        let earlier = Change(key: key, cell: Cell(stamp: unwritten, value: value))
        let words = try await library.words(for: [present, earlier].compactMap { $0 })
        let label = words.field(key).withoutControls
        let (after, isChanged) = try await library.write(
            key.field,
            value,
            to: row,
            as: "restoring \(label) of \(row.label)",
            at: context.moment(),
            // The value may have been written by a version with another schema.
            checksTypes: false
        )
        let json = try await library.json(of: after)
        context.output.result(json) {
            isChanged
                ? "restored \(label) of \(after.label): "
                    + "\(words.text(earlier).withoutControls), was "
                    + "\((present.map(words.text) ?? "(none)").withoutControls)\n"
                : "\(label) of \(after.label) never had another value\n"
        }
        return .success
    }

    /// Returns the field with this name, or the only one that begins with it.
    ///
    /// Fields of hidden parts are named by an id, of which a prefix suffices.
    private static func field(
        _ word: String,
        of row: FoundRow,
        among names: [Text]
    ) throws(UserError) -> Text {
        let fields = Set(names).sorted()
        let found = fields.filter { $0.string == word }
        let named = found.isEmpty ? fields.filter { $0.string.hasPrefix(word) } : found
        if named.count == 1 { return named[0] }
        let list = fields.map { $0.string.withoutControls }.joined(separator: ", ")
        throw UserError(
            named.isEmpty ? .notFound : .attention,
            "\(row.label) has \(named.isEmpty ? "no field" : "several fields that begin with") "
                + "'\(word.withoutControls)'",
            hint: "its fields are \(list)"
        )
    }
}
