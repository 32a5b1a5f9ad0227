import ProgramKit
import SyncCore

enum HeldAdoptCommand {
    static let command = Command(
        "held adopt",
        "[SET...]",
        summary: "have held change sets count on all devices",
        options: HeldDecision.options,
        details: """
            The changes keep their times: a field that somebody wrote later keeps that
            value. A decision cannot be taken back. Nobody can adopt what only another
            person may write, such as that person's settings.
            """
    ) { arguments, context in
        try await HeldDecision(decision: .adopted, context: context).make(arguments)
    }
}
