internal import FoundationEssentials
import ProgramKit
import SyncCore

/// The decision of a space's owner or admin on a held change set.
enum HeldDecision {
    /// Sends `adopt` or `refuse` for the change set that the arguments name.
    static func send(
        _ decision: String,
        _ arguments: Arguments,
        _ context: Context
    ) async throws -> ExitCode {
        let label = try SetLabel(arguments.required("SET"))
        let library = try await context.library()
        let client = try await library.client(context)
        let sets = try await library.heldSets(client)
        let set = try label.pick(from: sets, list: "wake held")
        let path = "/v1/spaces/\(set.space)/held/\(set.replica)/\(set.sequence)"
        _ = try await client.send(
            HTTPRequest(
                "POST",
                path,
                headers: ["content-type": "application/json"],
                body: Array(try JSONEncoder().encode(HeldDecisionRequest(decision: decision)))
            )
        )
        let isAdopted = decision == "adopt"
        context.output.result(.object([("set", .text(set.label)), ("decision", .text(decision))])) {
            let from = "\(set.label) from '\(set.deviceName.withoutControls)'"
            return isAdopted
                ? "adopted \(from); every device merges it at its next sync\n"
                : "refused \(from); its author keeps it\n"
        }
        return .success
    }
}
