import ProgramKit
import SyncCore

enum PlacesDeleteCommand {
    static let command = Command(
        "places delete",
        "ID",
        summary: "move a place to the trash"
    ) { arguments, context in
        let library = try await context.library()
        return try await RowTrash.delete(
            try await PlaceEditing.find(arguments, in: library),
            in: library,
            context
        )
    }
}
