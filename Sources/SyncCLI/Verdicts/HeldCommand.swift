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
        let none = "the server holds no change sets"
        await output.list("held", sets, none: none, json: \.json) {
            let rows = sets.map { $0.cells(preferences) }
            output.table(Table(columns: HeldSet.columns, rows: rows))
            output.note(
                "'wake held adopt SET' accepts it for everyone; 'wake held refuse SET' refuses it"
            )
        }
        return .success
    }
}
