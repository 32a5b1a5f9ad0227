import ProgramKit
import SyncCore

enum RedoCommand {
    static let command = Command(
        "redo",
        summary: "do again what 'wake undo' took back last"
    ) { _, context in
        let library = try await context.library()
        let undoing = try await library.replica.write {
            try $0.actions.redo(in: library.space, at: context.now())
        }
        return UndoCommand.tell(undoing, "did again", none: "there is nothing to do again", context)
    }
}
