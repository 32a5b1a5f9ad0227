import ProgramKit
import SyncCore

enum PlacesNotesCommand {
    static let command = Command(
        "places notes",
        "ID TEXT",
        summary: "set the notes of a place; empty text clears them"
    ) { arguments, context in
        let text = arguments.required("TEXT")
        let value: Value = text.isEmpty ? .null : .text(Text(text))
        return try await PlaceEditing.set(Place.Field.notes, value, arguments, context) {
            "editing the notes of \($0)"
        }
    }
}
