import ProgramKit
import SyncCore

enum PlacesListCommand {
    static let command = Command(
        "places list",
        summary: "list all places, from A to Z"
    ) { _, context in
        let library = try await context.library()
        let places = try await library.places()
        let makers = try await library.makers(
            of: places.map(\.id),
            CollectionSchema.place.name
        )
        let none =
            "no places yet: 'wake places add' adds one; imported waypoints also become places"
        func json(_ place: Place) -> JSON {
            .object(place.members + (makers.map { [SpacePerson.member($0[place.id])] } ?? []))
        }
        try await context.output.list("places", places, none: none, json: json) {
            let all = try await library.replica.read { try $0.rows.ids(in: library.space) }
            let rows = zip(IDPrefix.short(places.map(\.id), among: all), places).map {
                id,
                place in
                [id, place.name ?? "(no name)", place.position?.words ?? "–", place.notes ?? ""]
                    + (makers.map { [$0[place.id]?.label ?? "?"] } ?? [])
            }
            let columns = columns + (makers == nil ? [] : [.left("by").ifThereIsRoom])
            context.output.table(Table(columns: columns, rows: rows))
        }
        return .success
    }

    private static let columns: [Table.Column] = [
        .whole("id"), .left("name"), .whole("position"), .left("notes").ifThereIsRoom,
    ]
}
