import ProgramKit
import SyncCore

enum PlacesListCommand {
    static let command = Command(
        "places list",
        summary: "list all places, from A to Z"
    ) { _, context in
        let library = try await context.library()
        let places = try await library.places()
        let output = context.output
        if output.isJSON {
            output.json(.object([("places", .array(places.map { .object($0.members) }))]))
        } else if places.isEmpty {
            output.note(
                "no places yet: 'wake places add' adds one; imported waypoints also become places"
            )
        } else {
            let all = try await library.replica.read { try $0.rows.ids(in: library.space) }
            output.table(
                Table(
                    columns: [
                        .whole("id"), .left("name"), .whole("position"),
                        .left("notes").ifThereIsRoom,
                    ],
                    rows: zip(IDPrefix.short(places.map(\.id), among: all), places).map {
                        [$0, $1.name ?? "(no name)", $1.position?.words ?? "–", $1.notes ?? ""]
                    }
                )
            )
        }
        return .success
    }
}
