import ProgramKit
import SyncCore

enum PlacesAddCommand {
    static let command = Command(
        "places add",
        "NAME POSITION...",
        summary: "add a place",
        options: [Option("--notes TEXT", "notes about the place")],
        details: PlaceEditing.positionHelp
    ) { arguments, context in
        let position = try Coordinate(typed: arguments.list("POSITION").joined(separator: " "))
        let name = try PlaceEditing.name(arguments.required("NAME"))
        let library = try await context.library()
        let new = try await library.replica.read {
            try $0.rows.new(CollectionSchema.place.name, in: library.space)
        }
        let notes = arguments.option("--notes").map { [(Place.Field.notes, Value.text(Text($0)))] }
        let fields = [
            (Place.Field.name, Value.text(Text(name))), (Place.Field.position, position.value),
        ]
        let place = RowName(collection: CollectionSchema.place.name, id: new.id)
        let edits = (fields + (notes ?? [])).map {
            Edit(Key(place.collection, .id(new.id), $0), $1)
        }
        try await library.perform(
            new.edits + edits,
            as: "adding the place '\(name.withoutControls)'",
            at: context.moment()
        )
        return try await PlaceEditing.tell(place, in: library, context) { "added \($0)" }
    }
}
