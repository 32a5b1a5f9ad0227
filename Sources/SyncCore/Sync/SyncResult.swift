/// What taking a reply into the replica did, for one space.
package struct SpaceOutcome: Hashable, Sendable {
    /// The space.
    package let space: Identifier
    /// Why the server had no page.
    package var problem: String?
    /// Whether the server's last set of this replica was sealed by another database.
    package var isForeignHead = false
    /// The server's last sequence, where it lacks sets that this replica took for judged.
    package var gap: UInt64?
    /// Sets that were judged.
    package var judged = 0
    /// Items that were not taken, and why.
    package var rejections: [String] = []
    /// Entries that were merged.
    package var entries = 0
    /// Own sets that were refused or held.
    package var declined = 0
    /// Own sets that were refused for their clock, and are written again.
    package var reissued = 0
    /// Own sets that were judged once, that the log lacks, and that are pushed again.
    package var forgotten = 0
    /// Whether the fingerprints differ.
    package var isMismatch = false
    /// Whether they differed at the same position before.
    package var isKnownMismatch = false
    /// Entries that this replica cannot read or open yet.
    package var pending = 0
    /// Whether another process merged a page meanwhile, so that this one is of no use.
    package var isOvertaken = false
    /// Whether the server's log is not the one that was merged before.
    package var isOtherHistory = false
    /// Whether the log, merged to its end, lacks sets that this replica knows.
    package var hasOrphans = false
    /// Chunks that the server lacks.
    package var wanted: [Digest] = []
    /// Whether the whole log is merged and nothing is left to send.
    package var isDone = false

    package init(space: Identifier) {
        self.space = space
    }

    /// Whether the round brought this space forward; a gap does where it lies above the last one.
    func isProgress(lastGap: UInt64?) -> Bool {
        let isGapNew = gap.map { gap in lastGap.map { gap > $0 } ?? true } ?? false
        return judged > 0 || entries > 0 || isOvertaken || isGapNew
    }
}

/// How a sync went.
package struct SyncResult: Hashable, Sendable {
    /// Requests to `/v1/sync` that were answered.
    package var rounds = 0
    /// Own sets that the server judged.
    package var pushed = 0
    /// Entries that were merged.
    package var pulled = 0
    /// Chunks that arrived.
    package var chunks = 0
    /// Chunks that the server does not have.
    package var missingChunks = 0
    /// Own sets that were refused or held.
    package var declined = 0
    /// Spaces whose fingerprint differs from the server's.
    package var mismatches = 0
    /// Entries that cannot be read or opened yet.
    package var pending = 0
    /// How often the log of a space turned out to be another one, and was taken from its beginning.
    package var rebased = 0
    /// Sets that were brought back to a server that had lost them.
    package var refilled = 0
    /// Chunks that the server lacked and got.
    package var brought = 0
    /// Spaces whose base was made anew because its fingerprint differed.
    package var repaired = 0
    /// Whether the server did not know this device any more and let it in again.
    package var isReadmitted = false
    /// Whether this database turned out to be a copy, or an old state, and took a new name.
    package var isRenamed = false
    /// What went wrong in single spaces or items, while the rest went on.
    package var problems: [String] = []
    /// How it ended.
    package var end = End.complete

    /// How a sync ended.
    package enum End: Hashable, Sendable {
        /// Everything was sent and merged.
        case complete
        /// The server could not be reached, or not for long enough; all is kept for next time.
        case unreachable(TransportError)
        /// What answers is not shown to be the server; nothing was sent, and all is kept.
        case untrusted(TransportError)
        /// Something answered, and cannot do its part now; all is kept for next time.
        case busy(ServerRefusal)
        /// The server refused.
        case refused(ServerRefusal)
        /// The replica could not do its part.
        case failed(ReplicaFault)
        /// A round brought nothing forward.
        case stuck
    }

    /// What ended a sync and is no answer of the server.
    package enum Trouble: String, Sendable {
        /// The replica could not do its part.
        case failed
        /// A round brought nothing forward.
        case stuck
        /// What answered is not the server that was joined.
        case untrusted
    }

    /// What the person should read of later: the type of what the server refused, or a
    /// ``Trouble``; nil where nothing is wrong or only time helps.
    ///
    /// A fault of the disk is not noted on it.
    package var trouble: String? {
        switch end {
        case .refused(let refusal): refusal.type?.rawValue ?? "refused"
        case .busy(let refusal) where refusal.type == .storageFull: refusal.type?.rawValue
        case .failed(.replica), .failed(.other): problems.first ?? Trouble.failed.rawValue
        case .stuck: problems.first ?? Trouble.stuck.rawValue
        case .untrusted: Trouble.untrusted.rawValue
        case .complete, .unreachable, .busy, .failed(.database): problems.first
        }
    }

    mutating func add(_ outcomes: [SpaceOutcome]) {
        pushed += outcomes.reduce(0) { $0 + $1.judged }
        pulled += outcomes.reduce(0) { $0 + $1.entries }
        declined += outcomes.reduce(0) { $0 + $1.declined }
        mismatches = outcomes.count(where: \.isMismatch)
        pending += outcomes.reduce(0) { $0 + $1.pending }
        for outcome in outcomes {
            // Another history is mended, and told only where that fails.
            let problem = outcome.isOtherHistory ? nil : outcome.problem
            for problem in outcome.rejections + [problem].compactMap({ $0 })
            where !problems.contains(problem) {
                problems.append(problem)
            }
        }
    }
}
