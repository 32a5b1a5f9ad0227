import ProgramKit
import SyncCore

enum HeldCommand {
    static let command = Command(
        "held",
        summary: "list change sets that wait for an admin decision",
        details: """
            The server keeps changes that it may not let count: what a person sends after
            somebody removed or demoted them, what a revoked device sends, what a role did
            not allow before a restore, and what only a newer server can read. They wait
            until an owner or admin of the space adopts or declines them. The list has all
            spaces in which you are one; '--space NAME' shows one. The command also syncs.
            Name a set as REPLICA/NUMBER, as the list shows it, or as NUMBER if that is
            unique.
            """
    ) { _, context in
        let library = try await context.library()
        let held = try await library.heldSets(context)
        let preferences = try await library.preferences()
        var reports: [HeldReport] = []
        for (space, sets) in held {
            reports.append(try await HeldReport(of: sets, in: space, library, preferences))
        }
        let output = context.output
        let none = "nothing waits for your decision as an owner or admin"
        await output.list("held", reports.flatMap(\.json), none: none, json: { $0 }) {
            for report in reports { report.show(on: output, preferences) }
            output.note(
                "'wake held adopt SET' lets it count for everyone; 'wake held decline SET' rejects it"
            )
        }
        return .success
    }
}
