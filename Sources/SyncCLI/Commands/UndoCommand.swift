import SyncCore

extension Commands {
    static let undo = Command(
        "undo",
        "[ID] [FIELD]",
        summary: "take back the last edit made here, or the last write of a track's field",
        details: """
            Without words it takes back what was done last on this device, and again what was done
            before that; 'wake redo' does it again. What somebody wrote over it since stays.

            With a track and a field, as 'wake tracks history' tells them, it puts back what the field
            said before, whichever device wrote either; again, and it says what it said.
            """
    ) { arguments, context in
        let library = try await context.library()
        guard let word = arguments.optional("ID") else {
            let undoing = try await library.replica.undo(in: library.space, at: context.now())
            return tell(undoing, "took back", none: "there is nothing to undo", context)
        }
        guard let field = arguments.optional("FIELD") else {
            throw Complaint(
                .usage,
                "it is not clear which field to put back",
                hint: "'wake tracks history \(word.withoutControls)' tells them; "
                    + "'wake undo' alone takes back the last edit"
            )
        }
        return try await putBack(field, of: try await library.track(word), in: library, context)
    }

    static let redo = Command(
        "redo",
        summary: "do again what 'wake undo' took back last"
    ) { _, context in
        let library = try await context.library()
        let undoing = try await library.replica.redo(in: library.space, at: context.now())
        return tell(undoing, "did again", none: "there is nothing to do again", context)
    }

    private static func tell(
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
        ) { "\(verb): \(action.words)\n" }
        if undoing.overtaken > 0 {
            let fields = undoing.overtaken.counted("field")
            let stay = undoing.overtaken == 1 ? "stays: it was" : "stay: they were"
            context.output.warn("\(fields) of it \(stay) written again since")
        }
        return .success
    }

    private static func putBack(
        _ name: String,
        of track: Track,
        in library: Library,
        _ context: Context
    ) async throws -> ExitCode {
        let row = Row.id(track.id)
        let history = try await library.replica.history(
            of: TrackField.collection,
            row,
            in: library.space
        )
        let fields = Set(history.map(\.change.key.field)).sorted()
        // Whole, or the beginning of one: of a hidden part it is an id.
        let found = fields.filter { $0.string == name }
        let named = found.isEmpty ? fields.filter { $0.string.hasPrefix(name) } : found
        guard named.count == 1, let field = named.first else {
            let names = fields.map { $0.string.withoutControls }.joined(separator: ", ")
            throw Complaint(
                named.isEmpty ? .notFound : .attention,
                "\(track.label) has \(named.isEmpty ? "no field" : "several fields that begin with") "
                    + "'\(name.withoutControls)'",
                hint: "its fields are \(names)"
            )
        }
        let key = Key(TrackField.collection, row, field)
        let value = try await library.replica.earlierValue(of: key, in: library.space)
        let present = history.last { $0.change.key == key && $0.isWinner }?.change
        let unwritten = Stamp(time: 0, replica: .zero)
        let earlier = Change(key: key, cell: Cell(stamp: unwritten, value: value))
        let texts = try await ChangeWords(of: [present, earlier].compactMap { $0 }, in: library)
        let name = key.shortField.withoutControls
        let words = "putting back \(name) of \(track.label)"
        let count = try await library.replica.write(
            [Edit(key, value)],
            as: words,
            in: library.space,
            at: context.now()
        )
        let after = try await library.present(track.id) ?? track
        context.output.result(.track(after)) {
            count > 0
                ? "put back \(name) of \(after.label): "
                    + "\(texts.text(earlier).withoutControls), not "
                    + "\((present.map(texts.text) ?? "(none)").withoutControls)\n"
                : "\(name) of \(after.label) never said anything else\n"
        }
        return .success
    }
}
