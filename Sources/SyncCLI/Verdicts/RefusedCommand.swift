import ProgramKit
import SyncCore

enum RefusedCommand {
    static let command = Command(
        "refused",
        summary: "list own changes that the server refused or holds, and what cannot be read here",
        details: """
            Nothing of it is lost. A set is named by REPLICA/NUMBER, as the list shows it; NUMBER
            does where it is the only one.
            """
    ) { _, context in
        let library = try await context.library()
        let preferences = try await library.preferences()
        let report = try await RejectionReport(of: library, preferences)
        if context.output.isJSON {
            context.output.json(.object([("sets", .array(report.json))]))
        } else if report.isEmpty {
            context.output.note("nothing was refused, nothing is held, and all can be read")
        } else {
            report.show(on: context.output, preferences)
            context.output.note("'wake refused --help' tells what can be done about them")
        }
        return .success
    }
}
