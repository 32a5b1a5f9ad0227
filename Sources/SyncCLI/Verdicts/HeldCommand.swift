import ProgramKit
import SyncCore

enum HeldCommand {
    static let command = Command(
        "held",
        summary: "list work that waits at the server for the owner or an admin to decide",
        details: """
            A set is named by REPLICA/NUMBER, as the list shows it; NUMBER does where it is the
            only one.
            """
    ) { _, context in
        let library = try await context.library()
        let sets = try await library.heldSets(library.client(context))
        let preferences = try await library.preferences()
        let output = context.output
        if output.isJSON {
            output.json(.object([("held", .array(sets.map(\.json)))]))
        } else if sets.isEmpty {
            output.note("nothing is held at the server")
        } else {
            output.table(
                Table(
                    columns: [
                        .whole("set"), .whole("received (UTC)"), .left("device"), .right("fields"),
                        .left("why"),
                    ],
                    rows: sets.map { $0.cells(preferences) }
                )
            )
            output.note("'wake held adopt SET' lets it in for everyone, 'wake held refuse SET' not")
        }
        return .success
    }
}
