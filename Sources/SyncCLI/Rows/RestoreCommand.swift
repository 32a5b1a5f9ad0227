import ProgramKit
import SyncCore

enum RestoreCommand {
    static let command = Command(
        "restore",
        "ID",
        summary: "restore a track, place or row from the trash"
    ) { arguments, context in
        let library = try await context.library()
        let row = try await library.row(arguments.required("ID"))
        return try await RowTrash.restore(row, in: library, context)
    }
}
