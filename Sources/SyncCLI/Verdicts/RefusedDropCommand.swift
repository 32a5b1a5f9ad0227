import ProgramKit
import SyncCore

enum RefusedDropCommand {
    static let command = Command(
        "refused drop",
        "[ID]",
        summary: "remove a refused or held set from the list",
        options: [
            Option("--all", "all refused sets"),
            Option("--yes", "confirm; without this option nothing happens"),
        ],
        details: "The set stays in the history."
    ) { arguments, context in
        let library = try await context.library()
        let sets = try await library.rejectedChangeSets(chosenBy: arguments)
        guard arguments.flag("--yes") || sets.isEmpty else {
            throw UserError.attention(
                "\(sets.map(\.label).joined(separator: ", ")) would be removed from the list",
                hint: "confirm with '--yes'; 'wake refused export' keeps a copy"
            )
        }
        for set in sets { try await library.replica.write { try $0.rejected.dismiss(set) } }
        context.output.result(.object([("dropped", .array(sets.map { .text($0.label) }))])) {
            "removed \(sets.count.counted("set")) from the list\n"
        }
        return .success
    }
}
