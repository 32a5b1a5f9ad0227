import ProgramKit
import SyncCore

enum RedoCommand {
    static let command = Command(
        "redo",
        summary: "redo the edit that 'wake undo' undid last"
    ) { _, context in
        let library = try await context.library()
        let undoing = try await library.replica.write {
            try $0.actions.redo(in: library.space, at: context.moment())
        }
        return UndoCommand.tell(undoing, "redone", none: "there is nothing to redo", context)
    }
}
