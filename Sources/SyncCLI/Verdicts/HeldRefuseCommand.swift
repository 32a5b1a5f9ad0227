import ProgramKit
import SyncCore

enum HeldRefuseCommand {
    static let command = Command(
        "held refuse",
        "SET",
        summary: "refuse a held change set; its author keeps it"
    ) { arguments, context in
        try await HeldDecision.send("refuse", arguments, context)
    }
}
