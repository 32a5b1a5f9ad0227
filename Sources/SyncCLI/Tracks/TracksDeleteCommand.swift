import ProgramKit
import SyncCore

enum TracksDeleteCommand {
    static let command = Command(
        "tracks delete",
        "ID",
        summary: "move a track to the trash; no data is lost"
    ) { arguments, context in
        let library = try await context.library()
        let row = try await library.trackRow(arguments.required("ID"))
        return try await RowTrash.delete(row, in: library, context)
    }
}
