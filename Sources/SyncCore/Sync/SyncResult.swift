/// What one reply changed in the replica, for one space.
///
/// The members of ``MergeOutcome`` are members of it too.
@dynamicMemberLookup
package struct SpaceOutcome: Hashable, Sendable {
    package let space: Identifier
    /// Why the reply has no page, as a problem type.
    package var problem: String?
    /// Whether another database sealed the server's head of this replica.
    package var isForeignHead = false
    /// Whether this device has something new to send or fetch because of what came.
    package var hasMore = false
    /// The server's last sequence of this replica, if it lacks sets that this replica took for
    /// judged.
    package var gap: UInt64?
    /// The number of pushed sets that got a verdict.
    package var judged = 0
    /// The problems of the push items that the server rejected.
    package var rejections: [String] = []
    var merged = MergeOutcome()
    /// Whether the server's log is not the one that this replica merged before.
    package var isOtherHistory = false
    /// Whether the completely merged log lacks sets that this replica knows.
    package var hasOrphans = false
    package var wanted: [Digest] = []
    /// Whether the whole log is merged and nothing is left to push that the server would accept.
    package var isDone = false

    package subscript<Member>(dynamicMember member: WritableKeyPath<MergeOutcome, Member>) -> Member
    {
        get { merged[keyPath: member] }
        set { merged[keyPath: member] = newValue }
    }

    /// Whether the round made progress; a gap counts only if it is above the last one.
    func isProgress(lastGap: UInt64?) -> Bool {
        let isGapNew = gap.map { gap in lastGap.map { gap > $0 } ?? true } ?? false
        return judged > 0 || merged.entries > 0 || merged.isOvertaken || isGapNew
    }
}

package struct SyncResult: Hashable, Sendable {
    /// The number of answered requests of the sync loop.
    package var rounds = 0
    /// The number of this database's sets that got a verdict.
    package var pushed = 0
    /// The number of merged log entries.
    package var pulled = 0
    /// The rows that were sent and received.
    package var rows = SyncedRows()
    /// The number of chunks downloaded.
    package var chunks = 0
    /// The number of wanted chunks that the server does not have, or sent damaged.
    package var missingChunks = 0
    /// The number of wanted chunks that came with wrong bytes.
    package var damagedChunks = 0
    /// The number of sets of the log whose body is missing after the last round, and of entries that
    /// could not be read and have not been asked for again.
    package var missing = 0
    /// The number of this database's sets that were refused or held.
    package var declined = 0
    /// The number of spaces whose fingerprint differs from the server's after the last round.
    package var mismatches = 0
    /// A revoked device that the server let change devices or keys, after the last round.
    package var revived: Identifier?
    /// The number of merged entries that this replica still cannot decode or open.
    package var pending = 0
    /// How often the log of a space proved to be another one and was merged again from its
    /// beginning.
    package var rebased = 0
    /// The number of change sets with which a server that lost them was refilled.
    package var refilled = 0
    /// The number of chunks uploaded because the server lacked them.
    package var brought = 0
    /// The number of spaces that needed a repair because of a differing fingerprint.
    package var repaired = 0
    /// Whether the server had lost this device and readmitted it.
    package var isReadmitted = false
    /// Whether this database took a new replica id because another one wrote under the old id.
    package var isRenamed = false
    /// Problems of single spaces or items that did not stop the sync.
    package var problems: [String] = []
    package var end = End.complete

    package enum End: Hashable, Sendable {
        /// Everything was pushed and merged.
        case complete
        /// The server could not be reached, or not long enough; all changes are kept for the next
        /// sync.
        case unreachable(TransportError)
        /// The server could not be authenticated; nothing was sent, and all changes are kept.
        case untrusted(TransportError)
        /// The server is temporarily unable to serve; all changes are kept for the next sync.
        case busy(ServerRefusal)
        /// The server rejected a request.
        case refused(ServerRefusal)
        /// A local operation on the replica failed.
        case failed(ReplicaFault)
        /// Several rounds in a row made no progress, or every remedy failed.
        case stuck
    }

    /// The reasons for a failed sync that are not an error of the server.
    package enum Trouble: String, Sendable {
        /// A local operation on the replica failed.
        case failed
        /// Several rounds in a row made no progress, or every remedy failed.
        case stuck
        /// The server that answered is not the one that the device joined.
        case untrusted
    }

    /// What to show the person later: a problem's type or a ``Trouble``.
    ///
    /// Nil if nothing is wrong or only time helps. A database error is left out, because a failing
    /// disk cannot store it.
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
        revived = outcomes.lazy.compactMap(\.revived).first
        missing = outcomes.reduce(0) { $0 + $1.missing }
        pending += outcomes.reduce(0) { $0 + $1.pending }
        for outcome in outcomes {
            rows.formUnion(outcome.rows)
            // A changed history is handled by a reset, and reported only if that fails.
            let found = (outcome.rejections + [outcome.problem].compactMap { $0 })
                .filter { !outcome.isOtherHistory || $0 != ProblemType.cursorReset.rawValue }
            for problem in found where !problems.contains(problem) { problems.append(problem) }
        }
    }
}
