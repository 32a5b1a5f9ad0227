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
        details: "fields: \(TrackField.texts.map(\.string).joined(separator: ", "))"
    ) { arguments, context in
        let name = arguments.required("FIELD")
        guard let field = TrackField.texts.first(where: { $0.string == name }) else {
            let names = TrackField.texts.map(\.string)
            throw Complaint(
                .usage,
                "a track has no field '\(name)'",
                hint: Spelling.nearest(to: name, in: names).map { "did you mean '\($0)'?" }
                    ?? "the fields are \(names.joined(separator: ", "))"
            )
        }
        let value = arguments.required("VALUE")
        return try await set(field, to: value, of: arguments.required("ID"), context)
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
            text.isEmpty ? .null : .text(Text(text)),
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
