import ProgramKit
import SyncCore

/// The commands for tracks that do the same for rows of any collection.
enum TrackRowCommands {
    static let delete = Command(
        "tracks delete",
        "ID",
        summary: "move a track to the trash; no data is lost"
    ) { arguments, context in
        let library = try await context.library()
        let row = try await library.trackRow(arguments.required("ID"))
        return try await RowTrash.delete(row, in: library, context)
    }

    static let restore = Command(
        "tracks restore",
        "ID",
        summary: "restore a track from the trash"
    ) { arguments, context in
        let library = try await context.library()
        let row = try await library.trackRow(arguments.required("ID"))
        return try await RowTrash.restore(row, in: library, context)
    }

    static let history = Command(
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
