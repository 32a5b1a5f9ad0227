import ProgramKit
import SyncCore

enum PlacesRenameCommand {
    static let command = Command(
        "places rename",
        "ID NAME",
        summary: "rename a place"
    ) { arguments, context in
        let name = try PlaceEditing.name(arguments.required("NAME"))
        return try await PlaceEditing.set(Place.Field.name, .text(Text(name)), arguments, context) {
            "renaming \($0)"
        }
    }
}
