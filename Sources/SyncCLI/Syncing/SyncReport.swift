import ProgramKit
import SyncCore

/// The result of a sync as text, JSON and exit status.
struct SyncReport: Sendable {
    let result: SyncResult
    let authority: String

    /// One line, or empty if an incomplete sync transferred nothing.
    var text: String {
        var parts: [String] = []
        if result.pushed > 0 { parts.append("sent \(result.pushed.counted("set"))") }
        if result.pulled > 0 { parts.append("merged \(result.pulled.counted("set"))") }
        if result.chunks > 0 {
            parts.append("fetched \(result.chunks.counted("chunk"))")
        }
        if result.refilled > 0 {
            parts.append("brought back \(result.refilled.counted("set")) that the server had lost")
        }
        if result.brought > 0 {
            parts.append("brought \(result.brought.counted("chunk")) that it lacked")
        }
        let done = parts.joined(separator: ", ")
        guard result.end == .complete else { return done.isEmpty ? "" : "\(done), not all\n" }
        guard concern == nil, result.problems.isEmpty else {
            return done.isEmpty ? "" : "\(done)\n"
        }
        return "in step with \(authority): \(done.isEmpty ? "nothing is new" : done)\n"
    }

    /// The error or warning for the user, or nil if there is none.
    var userError: UserError? {
        switch result.end {
        case .complete: concern
        case .unreachable(let error), .untrusted(let error): UserError(describing: error)
        case .busy(let refusal), .refused(let refusal): UserError(describing: refusal)
        case .failed(let fault): Self.userError(about: fault)
        case .stuck:
            UserError(
                .attention,
                "the sync does not come forward",
                hint: "'wake status' shows what is waiting; try again later"
            )
        }
    }

    /// The exit status.
    var code: ExitCode {
        if let userError { return userError.code }
        guard !result.problems.isEmpty else { return .success }
        // Problems that only time can solve, such as a full disk, exit like a missing network.
        let isPassing = result.problems.allSatisfy { ProblemType(rawValue: $0)?.remedy == .retry }
        return isPassing ? .network : .attention
    }

    private static func userError(about fault: ReplicaFault) -> UserError {
        switch fault {
        case .database(let error): UserError(describing: error)
        case .replica(let error): UserError(describing: error)
        case .other(let reason):
            UserError(
                .failure,
                "this device could not do its part: \(reason)",
                hint: "'wake verify' tells more; what was written is safe"
            )
        }
    }

    /// The warning after a complete sync, or nil if there is none.
    private var concern: UserError? {
        if result.mismatches > 0 {
            return UserError(
                .attention,
                "\(result.mismatches.counted("space")) differ from the server's",
                hint: "'wake verify' tells whether the fault is here"
            )
        }
        if result.declined > 0 {
            return UserError(
                .attention,
                "\(result.declined.counted("own set")) held or refused by the server",
                hint: "'wake refused' shows which, and why; nothing was lost"
            )
        }
        if result.pending > 0 {
            return UserError(
                .attention,
                result.pending.counted("entry", "entries")
                    + " of the server's log not readable yet",
                hint: "a newer wake may; 'wake status' shows which, and all else was merged"
            )
        }
        guard result.missingChunks > 0 else { return nil }
        return UserError(
            .failure,
            "\(result.missingChunks.counted("chunk")) not at the server yet",
            hint: "the device that recorded them has to sync"
        )
    }

    /// Explains the problem of a space or change set.
    static func words(for problem: String) -> String {
        if let trouble = SyncResult.Trouble(rawValue: problem) { return words(for: trouble) }
        return switch ProblemType(rawValue: problem) {
        case .cursorReset:
            "the server's history keeps changing while it is taken: more than one server seems to "
                + "answer at this address; nothing here was lost, and what it lacks stays queued"
        case .notFound:
            "the server knows no such space, or you are no member of it; nothing here was changed"
        case .unavailable: "the server cannot do its part now; what it could not take stays queued"
        case .storageFull: "the server's disk is full; what it could not take stays queued"
        case .unauthorized:
            "the server does not know this device any more, or revoked it; everything is kept here, "
                + "and 'wake export' writes it out"
        case .upgradeRequired: "the server is too old for what this device writes"
        case let type?: "the server answered: \(type.title.lowercased()) (\(problem))"
        case nil: "the server answered: \(problem)"
        }
    }

    private static func words(for trouble: SyncResult.Trouble) -> String {
        switch trouble {
        case .failed: "this device could not do its part; 'wake doctor' tells more"
        case .stuck: "it did not come forward"
        case .untrusted: "what answered is not the server that was joined; nothing was sent"
        }
    }

    var json: JSON {
        .object([
            ("end", .text(end)),
            ("rounds", .integer(result.rounds)),
            ("pushed", .integer(result.pushed)),
            ("pulled", .integer(result.pulled)),
            ("chunks", .integer(result.chunks)),
            ("missingChunks", .integer(result.missingChunks)),
            ("declined", .integer(result.declined)),
            ("mismatches", .integer(result.mismatches)),
            ("pending", .integer(result.pending)),
            ("rebased", .integer(result.rebased)),
            ("refilled", .integer(result.refilled)),
            ("brought", .integer(result.brought)),
            ("repaired", .integer(result.repaired)),
            ("readmitted", .bool(result.isReadmitted)),
            ("renamed", .bool(result.isRenamed)),
            ("problems", .array(result.problems.map { .text($0) })),
        ])
    }

    private var end: String {
        switch result.end {
        case .complete: "complete"
        case .unreachable: "unreachable"
        case .untrusted: "untrusted"
        case .busy: "busy"
        case .refused: "refused"
        case .failed: "failed"
        case .stuck: "stuck"
        }
    }
}
