import SyncCore

/// What a person changes about a track.
extension Commands {
    static let tracksRename = Command(
        "tracks rename",
        "ID NAME",
        summary: "give a track a name"
    ) { arguments, context in
        let name = arguments.required("NAME")
        guard !name.isEmpty else {
            throw Complaint(
                .usage,
                "the new name is empty",
                hint: "'wake tracks set ID name \"\"' takes the name away"
            )
        }
        return try await set(TrackField.name, to: name, of: arguments.required("ID"), context)
    }

    static let tracksSet = Command(
        "tracks set",
        "ID FIELD VALUE",
        summary: "set a field of a track; an empty value takes it away",
        details: """
            fields: \(settable.map(\.string).joined(separator: ", "))

            'filter off' believes every fix of the track. Without it those that cannot be right (no
            position, a jump there and back, an accuracy above 100 m) are kept and shown, but do not
            count for the distance. How fast is too fast depends on the sport.
            """
    ) { arguments, context in
        let name = arguments.required("FIELD")
        guard let field = settable.first(where: { $0.string == name }) else {
            let names = settable.map(\.string)
            throw Complaint(
                .usage,
                "a track has no field '\(name)'",
                hint: Spelling.nearest(to: name, in: names).map { "did you mean '\($0)'?" }
                    ?? "the fields are \(names.joined(separator: ", "))"
            )
        }
        let value = arguments.required("VALUE")
        guard field != TrackField.filter || ["on", "off", ""].contains(value) else {
            throw Complaint(.usage, "the filter of a track is on or off, not '\(value)'")
        }
        return try await set(field, to: value, of: arguments.required("ID"), context)
    }

    private static let settable = TrackField.texts + [TrackField.filter]

    /// How a field holds what a person typed; nothing where that takes it away.
    private static func value(of field: Text, _ text: String) -> Value {
        if field == TrackField.filter { return text == "off" ? .bool(false) : .null }
        return text.isEmpty ? .null : .text(Text(text))
    }

    static let tracksDelete = Command(
        "tracks delete",
        "ID",
        summary: "move a track to the trash; nothing of it is lost"
    ) { arguments, context in
        let (library, track) = try await find(arguments, context)
        let (after, isChanged) = try await library.write(
            TrackField.deleted,
            .bool(true),
            to: track,
            at: context.now()
        )
        context.output.result(.track(after)) {
            isChanged
                ? "moved \(after.label) to the trash; 'wake tracks restore \(after.id.short)' "
                    + "takes it back\n"
                : "\(after.label) was in the trash already\n"
        }
        return .success
    }

    static let tracksRestore = Command(
        "tracks restore",
        "ID",
        summary: "take a track out of the trash"
    ) { arguments, context in
        let (library, track) = try await find(arguments, context)
        guard track.isDeleted else {
            context.output.result(.track(track)) { "\(track.label) is not in the trash\n" }
            return .success
        }
        let (after, _) = try await library.write(
            TrackField.deleted,
            .null,
            to: track,
            at: context.now()
        )
        context.output.result(.track(after)) { "took \(after.label) out of the trash\n" }
        return .success
    }

    private static func find(
        _ arguments: Arguments,
        _ context: Context
    ) async throws -> (Library, Track) {
        let library = try await context.library()
        return (library, try await library.track(arguments.required("ID")))
    }

    private static func set(
        _ field: Text,
        to text: String,
        of id: String,
        _ context: Context
    ) async throws -> ExitCode {
        let library = try await context.library()
        let (track, isChanged) = try await library.write(
            field,
            value(of: field, text),
            to: try await library.track(id),
            at: context.now()
        )
        let state = isChanged ? "" : ", as before"
        context.output.result(.track(track)) {
            text.isEmpty
                ? "\(track.id.short): no \(field)\(state)\n"
                : "\(track.id.short): \(field) is '\(text.withoutControls)'\(state)\n"
        }
        if track.isDeleted {
            context.output.note("the track is in the trash; the edit is kept with it there")
        }
        return .success
    }
}
