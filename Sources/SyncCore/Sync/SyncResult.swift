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
    /// Whether the fingerprints differ.
    package var isMismatch = false
    /// Entries that this replica cannot read or open yet.
    package var pending = 0
    /// Whether another process merged a page meanwhile, so that this one is of no use.
    package var isOvertaken = false
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

    /// The type of what the server refused; nil where it refused nothing.
    package var trouble: String? {
        switch end {
        case .refused(let refusal): refusal.type?.rawValue ?? "refused"
        case .busy(let refusal) where refusal.type == .storageFull: refusal.type?.rawValue
        case .complete, .unreachable, .untrusted, .busy, .failed, .stuck: problems.first
        }
    }

    mutating func add(_ outcomes: [SpaceOutcome]) {
        pushed += outcomes.reduce(0) { $0 + $1.judged }
        pulled += outcomes.reduce(0) { $0 + $1.entries }
        declined += outcomes.reduce(0) { $0 + $1.declined }
        mismatches = outcomes.count(where: \.isMismatch)
        pending += outcomes.reduce(0) { $0 + $1.pending }
        for outcome in outcomes {
            for problem in outcome.rejections + [outcome.problem].compactMap({ $0 })
            where !problems.contains(problem) {
                problems.append(problem)
            }
        }
    }
}
