import ProgramKit
import SyncCore

enum TracksHistoryCommand {
    static let command = Command(
        "tracks history",
        "ID",
        summary: "list all writes to a track",
        details: HistoryCommand.details
    ) { arguments, context in
        let library = try await context.library()
        let row = try await library.trackRow(arguments.required("ID"))
        return try await HistoryCommand.tell(historyOf: row, in: library, context)
    }
}
