import ProgramKit
import SyncCore

enum HeldAdoptCommand {
    static let command = Command(
        "held adopt",
        "SET",
        summary: "let held work in: every device merges it at its next sync"
    ) { arguments, context in
        try await HeldDecision.send("adopt", arguments, context)
    }
}
