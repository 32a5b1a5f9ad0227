import ProgramKit
import SyncCore

enum RefusedRetryCommand {
    static let command = Command(
        "refused retry",
        "[ID]",
        summary: "write refused or held changes again, as of now",
        options: [Option("--all", "all refused sets")],
        details: """
            The next sync sends the changes. A field that was written since then keeps its
            value.
            """
    ) { arguments, context in
        let library = try await context.library()
        let sets = try await library.rejectedChangeSets(chosenBy: arguments)
        var (written, overtaken) = (0, 0)
        for set in sets {
            let retried = try await library.replica.write {
                try $0.rejected.retry(set, at: context.moment())
            }
            written += retried.written
            overtaken += retried.overtaken
        }
        let members: [(String, JSON)] = [
            ("sets", .integer(sets.count)), ("written", .integer(written)),
            ("overtaken", .integer(overtaken)),
        ]
        context.output.result(.object(members)) {
            let kept = overtaken.counted("field")
            return "wrote \(written.counted("field")) again"
                + (overtaken == 0 ? "\n" : "; kept the later value of \(kept)\n")
        }
        if written > 0 { context.output.note("'wake sync' sends them") }
        return .success
    }
}
