import ProgramKit
import SyncCore

enum RefusedCommand {
    static let command = Command(
        "refused",
        summary: "list refused, held and unreadable change sets",
        details: """
            The list has change sets of this device that the server refused or holds, and
            entries of the server's log that this device cannot read yet. Nothing in them is
            lost. Name a set as REPLICA/NUMBER, as the list shows it, or as NUMBER if that
            is unique.
            """
    ) { _, context in
        let library = try await context.library()
        let preferences = try await library.preferences()
        let report = try await RejectionReport(of: library, preferences)
        let none = "no refused, held or unreadable change sets"
        await context.output.list("sets", report.json, none: none, json: { $0 }) {
            report.show(on: context.output, preferences)
            context.output.note("'wake refused --help' explains what you can do")
        }
        return .success
    }
}
