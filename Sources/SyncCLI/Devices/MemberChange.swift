import ProgramKit
import SyncCore

/// A change of devices, links or codes; it takes effect when the server has accepted it.
struct MemberChange: Sendable {
    let library: Library
    let context: Context
    /// The shared space that changes; nil for the own one.
    var shared: Identifier?
    /// What did not happen if the change cannot begin, such as "nothing was revoked".
    let failure: String
    /// What is the case if the change was sealed and not sent.
    var unsent = "the change is not sent yet"
    /// Whether the change takes this device out of the space, which is then removed.
    var isLeaving = false

    /// Syncs first, so that the change builds on the newest control set.
    ///
    /// Throws before anything is sealed.
    func prepare() async throws {
        let error = try await exchange()
        guard try await isStored() else {
            throw UserError.attention(
                "you are not in the space any more",
                hint: "see 'wake spaces list'"
            )
        }
        guard let error else { return }
        // Nothing is queued.
        let hint =
            error.code == .network ? "run it again when the server can be reached" : error.hint
        throw UserError(error.code, "\(failure): \(error.message)", hint: hint)
    }

    /// Syncs, and throws unless the control chain then shows the change.
    func send(_ isDone: @Sendable (ControlChain) -> Bool) async throws {
        let error = try await exchange()
        guard try await isStored() else {
            guard !isLeaving else { return }
            throw UserError.attention(
                "\(failure): you are not in the space any more",
                hint: "see 'wake spaces list'"
            )
        }
        let (chain, isWaiting) = try await library.replica.read {
            let space = shared ?? library.own
            return (try $0.controls.chain(of: space), try $0.controls.hasWaiting(in: space))
        }
        guard !isDone(chain) else { return }
        let hint = "it waits on this device after what was written before; 'wake sync' sends it"
        if let error {
            throw UserError(error.code, "\(unsent): \(error.message)", hint: hint)
        }
        guard !isWaiting else { throw UserError.network(unsent, hint: hint) }
        throw UserError.attention(
            "\(failure): another device made the same or a conflicting change first",
            hint: shared == nil
                ? "'wake devices list' shows the devices and links; run the command again"
                : "run the command again"
        )
    }

    /// Whether the space is on this device: a sync removes a space that the device is not in any more.
    private func isStored() async throws -> Bool {
        try await library.replica.read { try $0.spaces.all() }
            .contains { $0.id == shared ?? library.own }
    }

    /// Syncs, and returns the error that stopped it; only warns of anything else.
    private func exchange() async throws -> UserError? {
        let report = try await SyncCommand.exchange(library, context)
        guard let error = report.userError else { return nil }
        if report.result.end != .complete || error.code == .authentication { return error }
        context.output.warn(error.message)
        return nil
    }
}
