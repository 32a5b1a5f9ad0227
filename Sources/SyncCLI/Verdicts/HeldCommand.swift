import ProgramKit
import SyncCore

enum HeldCommand {
    static let command = Command(
        "held",
        summary: "list change sets that wait for an admin decision",
        details: """
            The server keeps changes that its rules do not let count: those that a person
            made after somebody removed or demoted them, or that a revoked device made. They
            wait until an owner or admin of the space adopts or declines them. The list has
            all spaces in which you are one; '--space NAME' shows one. Name a set as
            REPLICA/NUMBER, as the list shows it, or as NUMBER if that is unique.
            """
    ) { _, context in
        let library = try await context.library()
        let held = try await library.heldSets(library.client(context))
        let preferences = try await library.preferences()
        var reports: [HeldReport] = []
        for (space, sets) in held {
            reports.append(try await HeldReport(of: sets, in: space, library, preferences))
        }
        let output = context.output
        let none = "the server holds no change sets"
        await output.list("held", reports.flatMap(\.json), none: none, json: { $0 }) {
            for report in reports { report.show(on: output, preferences) }
            output.note(
                "'wake held adopt SET' has it count for everyone; 'wake held decline SET' does not"
            )
        }
        return .success
    }
}
