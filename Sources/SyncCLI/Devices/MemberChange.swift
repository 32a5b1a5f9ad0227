import ProgramKit
import SyncCore

/// A change of the devices, links or codes of the own space, which counts once the server has it.
struct MemberChange: Sendable {
    let library: Library
    let context: Context
    /// What did not happen if the change fails, such as "nothing was revoked".
    let failure: String

    /// Fetches what other devices changed, on which the change must build.
    ///
    /// Throws if the server cannot be reached. Nothing waits on this device then.
    func prepare() async throws {
        do {
            try await exchange()
        } catch let error as UserError {
            throw error.prefixed(with: failure)
        }
    }

    /// Sends the change, and throws unless the devices of this person agree on it.
    ///
    /// - Parameter isDone: whether a control chain shows the change.
    func send(_ isDone: @Sendable (ControlChain) -> Bool) async throws {
        try await exchange()
        let (chain, isWaiting) = try await library.replica.read {
            let own = try $0.spaces.own()
            return (try $0.controls.chain(of: own), try $0.controls.hasWaiting(in: own))
        }
        guard !isDone(chain) else { return }
        guard !isWaiting else {
            throw UserError.network(
                "the server has not taken the change yet",
                hint: "it waits on this device after what was written before; 'wake sync' sends it"
            )
        }
        throw UserError.attention(
            "\(failure): another device changed the same at that time",
            hint: "'wake devices list' shows the devices and links; run the command again"
        )
    }

    private func exchange() async throws {
        let client = try await library.client(context)
        let report = try await SyncCommand.exchange(library, client, context)
        if let userError = report.userError { throw userError }
        for problem in report.result.problems {
            context.output.warn(SyncReport.words(for: problem))
        }
    }
}
