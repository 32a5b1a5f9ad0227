import ProgramKit
import SyncCore

enum TracksRenameCommand {
    static let command = Command(
        "tracks rename",
        "ID NAME",
        summary: "rename a track"
    ) { arguments, context in
        let name = arguments.required("NAME")
        guard !name.isEmpty else {
            throw UserError.usage(
                "the new name is empty",
                hint: "'wake tracks set ID name \"\"' removes the name"
            )
        }
        return try await TracksSetCommand.set(
            TrackField.name,
            to: name,
            of: arguments.required("ID"),
            context
        )
    }
}
