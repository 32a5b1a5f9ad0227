import ProgramKit
import SyncCore

enum HeldRefuseCommand {
    static let command = Command(
        "held refuse",
        "SET",
        summary: "keep held work out; its author still has it"
    ) { arguments, context in
        try await HeldDecision.send("refuse", arguments, context)
    }
}
