import ProgramKit
import SyncCore

enum HeldDeclineCommand {
    static let command = Command(
        "held decline",
        "[SET...]",
        summary: "decide that held change sets never count",
        options: HeldDecision.options,
        details: """
            Their author keeps them, and sees the decision if they are still in the space. A
            decision cannot be taken back.
            """
    ) { arguments, context in
        try await HeldDecision(decision: .declined, context: context).make(arguments)
    }
}
