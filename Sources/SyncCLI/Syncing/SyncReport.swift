import ProgramKit
import SyncCore

/// How a sync went, in words and for scripts.
struct SyncReport: Sendable {
    let result: SyncResult
    let authority: String

    /// One line; none where nothing came of it.
    var text: String {
        var parts: [String] = []
        if result.pushed > 0 {
            parts.append("sent \(result.pushed.counted("batch of changes", "batches of changes"))")
        }
        if result.pulled > 0 {
            parts.append(
                "received \(result.pulled.counted("batch of changes", "batches of changes"))"
            )
        }
        if result.chunks > 0 {
            parts.append("fetched \(result.chunks.counted("data chunk"))")
        }
        if result.refilled > 0 {
            parts.append(
                "sent back \(result.refilled.counted("batch", "batches")) that the server had lost"
            )
        }
        if result.brought > 0 {
            parts.append("sent back \(result.brought.counted("data chunk")) that the server lacked")
        }
        let done = parts.joined(separator: ", ")
        guard result.end == .complete else { return done.isEmpty ? "" : "\(done), incomplete\n" }
        guard concern == nil, result.problems.isEmpty else {
            return done.isEmpty ? "" : "\(done)\n"
        }
        return "up to date with \(authority): \(done.isEmpty ? "nothing new" : done)\n"
    }

    /// What the person should know; nil where all is well.
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

    /// What the end of the sync tells the shell.
    var code: ExitCode {
        if let userError { return userError.code }
        guard !result.problems.isEmpty else { return .success }
        // Only time helps against a full disk, as against no network.
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

    /// What needs attention although the sync came to its end.
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

    /// What a problem of one space or set means to the person.
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
