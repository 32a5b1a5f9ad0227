import ProgramKit
import SyncCore

enum HeldAdoptCommand {
    static let command = Command(
        "held adopt",
        "SET",
        summary: "accept a held change set for all devices"
    ) { arguments, context in
        try await HeldDecision.send("adopt", arguments, context)
    }
}
