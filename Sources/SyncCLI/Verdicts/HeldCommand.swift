import ProgramKit
import SyncCore

enum HeldCommand {
    static let command = Command(
        "held",
        summary: "list change sets that wait for an admin decision",
        details: """
            The server holds these change sets until the owner or an admin of the space
            adopts or refuses them. Every device merges an adopted set at its next sync.
            Name a set as REPLICA/NUMBER, as the list shows it, or as NUMBER if that is
            unique.
            """
    ) { _, context in
        let library = try await context.library()
        let sets = try await library.heldSets(library.client(context))
        let preferences = try await library.preferences()
        let output = context.output
        if output.isJSON {
            output.json(.object([("held", .array(sets.map(\.json)))]))
        } else if sets.isEmpty {
            output.note("the server holds no change sets")
        } else {
            output.table(
                Table(
                    columns: [
                        .whole("set"), .whole("received (UTC)"), .left("device"), .right("fields"),
                        .left("reason"),
                    ],
                    rows: sets.map { $0.cells(preferences) }
                )
            )
            output.note(
                "'wake held adopt SET' accepts it for everyone; 'wake held refuse SET' refuses it"
            )
        }
        return .success
    }
}
