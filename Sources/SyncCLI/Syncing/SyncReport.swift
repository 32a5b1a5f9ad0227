import ProgramKit
import SyncCore

/// The result of a sync as text, JSON and exit status.
struct SyncReport: Sendable {
    let result: SyncResult
    /// The collections in display order.
    let collections: [CollectionSchema]
    let authority: String
    /// What was noticed during the sync that no honest server and no honest member does.
    var breaches: [Breach] = []
    /// Devices of the server's control chain that this device does not know.
    var strangers: [Identifier] = []
    /// The number of chunks whose only copy, on this device, was damaged.
    var lostChunks = 0

    /// What restores such chunks.
    static let wayBackOfChunks =
        "import the track's file again; a backup of the data folder may have it, too"

    /// One line, or empty if an incomplete sync transferred nothing.
    var text: String {
        var parts: [String] = []
        let (sent, received) = (things(result.rows.sent), things(result.rows.received))
        if !sent.isEmpty { parts.append("sent \(sent.joined(separator: ", "))") }
        let arrived = received + (result.chunks > 0 ? ["points or files"] : [])
        if !arrived.isEmpty { parts.append("received \(arrived.joined(separator: ", "))") }
        if result.refilled > 0 {
            parts.append("sent back changes that the server had lost")
        }
        if result.brought > 0 {
            parts.append("sent back points or files that the server lacked")
        }
        let done = parts.joined(separator: "; ")
        guard result.end == .complete else { return done.isEmpty ? "" : "\(done), incomplete\n" }
        guard userError == nil, result.problems.isEmpty else {
            return done.isEmpty ? "" : "\(done)\n"
        }
        return "up to date with \(authority): \(done.isEmpty ? "nothing new" : done)\n"
    }

    private func counts(_ rows: Set<Key>) -> [Text: Int] {
        rows.reduce(into: [:]) { $0[$1.collection, default: 0] += 1 }
    }

    /// The numbers of rows in words, such as "2 tracks", in display order.
    private func things(_ rows: Set<Key>) -> [String] {
        let counts = counts(rows)
        let known = collections.compactMap { schema in
            counts[schema.name].map {
                schema.noun == schema.plural
                    ? schema.plural : $0.counted(schema.noun, schema.plural)
            }
        }
        let names = Set(collections.map(\.name))
        let others = counts.filter { !names.contains($0.key) }.values.reduce(0, +)
        return known + (others > 0 ? [others.counted("other row")] : [])
    }

    /// The error or warning for the user, or nil if there is none.
    var userError: UserError? {
        if let revived = result.revived, result.end == .complete {
            return .takeover(by: revived, and: strangers, "your changes stay here")
        }
        if let breach = breaches.first {
            return UserError.authentication(
                "\(breach)",
                hint: "'wake verify' lists everything that was detected; your data is safe here"
            )
        }
        return switch result.end {
        case .complete: concern
        case .unreachable(let error), .untrusted(let error): UserError(describing: error)
        case .busy(let refusal), .refused(let refusal): UserError(describing: refusal)
        case .failed(let fault): Self.userError(about: fault)
        case .stuck:
            UserError.attention(
                "the sync makes no progress",
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

    static func userError(about fault: ReplicaFault) -> UserError {
        switch fault {
        case .database(let error): UserError(describing: error)
        case .replica(let error): UserError(describing: error)
        case .other(let reason):
            UserError.failure(
                "the sync failed on this device: \(reason)",
                hint: "'wake verify' shows details; your changes are safe"
            )
        }
    }

    /// The warning after a complete sync, or nil if there is none.
    private var concern: UserError? {
        if result.mismatches > 0 {
            return UserError.attention(
                "this replica differs from the server in \(result.mismatches.counted("space"))",
                hint: "'wake verify' shows whether the fault is on this device"
            )
        }
        if result.declined > 0 {
            return UserError.attention(
                "the server held or refused some of your changes",
                hint: "'wake refused' lists them with the reasons; nothing was lost"
            )
        }
        if result.pending > 0 {
            return UserError.attention(
                result.pending.counted("entry", "entries")
                    + " of the server's log cannot be read yet",
                hint:
                    "a newer wake may read them; 'wake status' shows which; all others were merged"
            )
        }
        if result.missing > 0 {
            return UserError.attention(
                "the contents of \(result.missing.counted("change set")) did not arrive whole",
                hint: "the next sync asks for them again; a device that has them must sync, too"
            )
        }
        if result.damagedChunks > 0 {
            return UserError.attention(
                "the server sent \(result.damagedChunks.counted("chunk")) of points or files with wrong "
                    + "bytes",
                hint: "nothing wrong was stored; the next sync asks for them again"
            )
        }
        if lostChunks > 0 {
            return UserError.attention(
                "the only copy of \(lostChunks.counted("chunk")) of points or files is damaged; what "
                    + "needs it is not sent",
                hint: Self.wayBackOfChunks
            )
        }
        guard result.missingChunks > 0 else { return nil }
        return UserError.attention(
            "the server does not have all points and files yet",
            hint: "the device that recorded them must sync"
        )
    }

    /// Explains the problem of a space or change set.
    static func words(for problem: String) -> String {
        if let trouble = SyncResult.Trouble(rawValue: problem) { return words(for: trouble) }
        return switch ProblemType(rawValue: problem) {
        case .cursorReset:
            "the server's history keeps changing during the sync: more than one server seems to use "
                + "this address; nothing was lost here, and what the server lacks stays queued"
        case .notFound:
            "the server does not have this space, or you are not a member; nothing was changed here"
        case .unavailable: "the server is not available now; what it could not store stays queued"
        case .storageFull: "the server's disk is full; what it could not store stays queued"
        case .unauthorized:
            "the server no longer knows this device, or it was revoked; all data is kept here: "
                + "'wake join --again' with a new link connects it again, 'wake export' writes files"
        case .upgradeRequired: "the server is too old for the changes of this device"
        case let type?: "the server answered: \(type.title.lowercased()) (\(problem))"
        case nil: "the server answered: \(problem)"
        }
    }

    private static func words(for trouble: SyncResult.Trouble) -> String {
        switch trouble {
        case .failed: "the sync failed on this device; 'wake doctor' shows details"
        case .stuck: "the sync made no progress"
        case .untrusted: "the response was not from the server that was joined; nothing was sent"
        }
    }

    /// Returns what a person can do about the problem of the last sync.
    static func hint(for problem: String) -> String {
        if ProblemType(rawValue: problem) == .unauthorized {
            return "run 'wake join --again' with a link from 'wake devices link' on another device"
        }
        if SyncResult.Trouble(rawValue: problem) == .untrusted {
            return "run 'wake sync' to see why; if the server really has a new key, run "
                + "'wake join --new-key' with a new link"
        }
        return "run 'wake sync' to try again"
    }

    var json: JSON {
        .object([
            ("end", .text(end)),
            ("rounds", .integer(result.rounds)),
            ("pushed", .integer(result.pushed)),
            ("pulled", .integer(result.pulled)),
            ("sent", json(result.rows.sent)),
            ("received", json(result.rows.received)),
            ("chunks", .integer(result.chunks)),
            ("missingChunks", .integer(result.missingChunks)),
            ("damagedChunks", .integer(result.damagedChunks)),
            ("lostChunks", .integer(lostChunks)),
            ("missing", .integer(result.missing)),
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

    private func json(_ rows: Set<Key>) -> JSON {
        let counts = counts(rows)
        let names = counts.keys.sorted { $0.string < $1.string }
        return .object(names.map { ($0.string, .integer(counts[$0] ?? 0)) })
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
