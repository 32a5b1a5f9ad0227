import ProgramKit
import SyncCore

enum RefusedDropCommand {
    static let command = Command(
        "refused drop",
        "[ID]",
        summary: "take a refused or held set off the list; it stays in the history",
        options: [
            Option("--all", "all sets that were refused"),
            Option("--yes", "do it; without this nothing happens"),
        ]
    ) { arguments, context in
        let library = try await context.library()
        let sets = try await library.rejectedChangeSets(chosenBy: arguments)
        guard arguments.flag("--yes") || sets.isEmpty else {
            throw UserError(
                .attention,
                "\(sets.map(\.label).joined(separator: ", ")) would be removed from the list",
                hint: "confirm with '--yes'; 'wake refused export' keeps a copy"
            )
        }
        for set in sets { try await library.replica.write { try $0.rejected.dismiss(set) } }
        context.output.result(.object([("dropped", .array(sets.map { .text($0.label) }))])) {
            "took \(sets.count.counted("set")) off the list\n"
        }
        return .success
    }
}
