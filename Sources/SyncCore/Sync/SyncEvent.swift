package enum SyncEvent: Sendable {
    case begin
    /// The request is encoded from the sealed sets.
    case prepared(SyncRequest)
    /// The server replied to a request.
    case replied(SyncReply, to: SyncRequest)
    /// The reply was applied to the replica.
    case taken([SpaceOutcome])
    /// The replica has a new id.
    case renamed
    /// The chunks that cells name but this replica lacks.
    case wanted([WantedChunk])
    /// A chunk was requested; it is stored now, or the server does not have it.
    case fetched(WantedChunk, isHere: Bool)
    /// The server sent other bytes for a chunk, twice; nothing was stored.
    case damaged(WantedChunk)
    /// The base of a space was reset or repaired.
    case rebased
    /// The server was asked to host a space; the problem is why it will not, if a person can solve that.
    case hosted(String?)
    /// The server returned the results of a backfill of this space.
    case offered(BackfillOutcome, Identifier)
    /// The server stored this number of the chunks that it lacked.
    case brought(Int)
    /// The server readmitted this device.
    case readmitted
    /// The last action failed; `jitter` is random, from 0 to 1, and spreads the retries.
    case failed(SyncFailure, jitter: Double)
    case woke
}

package enum SyncAction: Sendable, Equatable {
    /// Seal local changes and prepare a request; for the given spaces, push the sets after the
    /// sequence.
    case prepare(after: [Identifier: UInt64])
    case send(SyncRequest)
    /// Apply a reply to the replica.
    case take(SyncReply, of: SyncRequest)
    /// Give the replica a new id, because another database writes under the old one.
    case renameReplica
    /// Give up the merged log of a space and start over; the server has another one.
    case rebase(Identifier)
    /// Refill the server's log with a space's orphans after a position, or with all of them if it
    /// is nil.
    case offer(Identifier, after: BackfillPosition?)
    /// Ask the server to host a space that it does not know: this device founded it, or the server lost it.
    case host(Identifier)
    /// Repair a space whose fingerprint differs from the server's.
    ///
    /// Attempt 0 repairs the rows that differ. Attempt 1 resets the whole base.
    case repair(Identifier, attempt: Int)
    /// Upload chunks that the server lacks.
    case bring([WantedChunk])
    /// Ask a server that lost this device to readmit it.
    case readmit
    /// List the wanted chunks, at most `limit`.
    case listWanted(limit: Int)
    /// Download one chunk.
    case fetch(WantedChunk)
    /// Wait before the next attempt.
    case wait(milliseconds: Int)
    /// End the sync.
    case finish(SyncResult)
}

/// A chunk that a cell names but this replica lacks.
package struct WantedChunk: Hashable, Sendable {
    /// The space in which the chunk is stored.
    package let space: Identifier
    /// The SHA-256 that names the chunk.
    package let hash: Digest
}

package enum SyncFailure: Error, Hashable, Sendable {
    /// The server could not be reached, or the connection broke.
    case unreachable(TransportError)
    /// The server could not be authenticated; nothing was sent.
    case untrusted(TransportError)
    /// The server, or a proxy in its place, is temporarily unable to serve.
    case busy(ServerRefusal)
    /// The server rejected the request; repeating it does not help.
    case refused(ServerRefusal)
    /// A local operation on the replica failed.
    case local(ReplicaFault)
}

/// Why a local operation of a sync failed.
package enum ReplicaFault: Hashable, Sendable {
    /// A fault of the database or of the disk.
    case database(DatabaseError)
    /// An invalid state of the replica, or an invalid reply of the server.
    case replica(ReplicaError)
    /// Any other error, as its own description.
    case other(String)

    init(_ error: any Error) {
        switch error {
        case let error as DatabaseError: self = .database(error)
        case let error as ReplicaError: self = .replica(error)
        default: self = .other("\(error)")
        }
    }
}

package struct ServerRefusal: Hashable, Sendable {
    /// The problem's type, or nil if the reply has none that this version knows, such as a proxy's
    /// reply.
    package let type: ProblemType?
    package let detail: String
    /// Whether the reply did not arrive as the server sent it.
    package let isDamaged: Bool

    package init(type: ProblemType?, detail: String) {
        self.type = type
        self.detail = detail
        isDamaged = false
    }

    package init(_ problem: ServerProblem) {
        type = problem.type
        detail = problem.detail
        isDamaged = problem.isDamaged
    }
}
