import ProgramKit
import SyncCore

enum PlacesMoveCommand {
    static let command = Command(
        "places move",
        "ID POSITION...",
        summary: "change the position of a place",
        details: PlaceEditing.positionHelp
    ) { arguments, context in
        let position = try Coordinate(typed: arguments.list("POSITION").joined(separator: " "))
        return try await PlaceEditing.set(Place.Field.position, position.value, arguments, context)
        {
            "moving \($0)"
        }
    }
}
