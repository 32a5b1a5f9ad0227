import ProgramKit
import SyncCore

enum PlacesListCommand {
    static let command = Command(
        "places list",
        summary: "list all places, from A to Z"
    ) { _, context in
        let library = try await context.library()
        let places = try await library.places()
        let none =
            "no places yet: 'wake places add' adds one; imported waypoints also become places"
        try await context.output.list("places", places, none: none, json: { .object($0.members) }) {
            let all = try await library.replica.read { try $0.rows.ids(in: library.space) }
            let rows = zip(IDPrefix.short(places.map(\.id), among: all), places).map {
                [$0, $1.name ?? "(no name)", $1.position?.words ?? "–", $1.notes ?? ""]
            }
            context.output.table(Table(columns: columns, rows: rows))
        }
        return .success
    }

    private static let columns: [Table.Column] = [
        .whole("id"), .left("name"), .whole("position"), .left("notes").ifThereIsRoom,
    ]
}
