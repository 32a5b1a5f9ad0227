import ProgramKit
import SyncCore

enum TracksRestoreCommand {
    static let command = Command(
        "tracks restore",
        "ID",
        summary: "restore a track from the trash"
    ) { arguments, context in
        let library = try await context.library()
        let row = try await library.trackRow(arguments.required("ID"))
        return try await RowTrash.restore(row, in: library, context)
    }
}
