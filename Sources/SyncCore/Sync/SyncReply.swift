/// What the server answers: its time, and for each space the verdicts, its head of the asking
/// replica, and a page of the log that ends in a checkpoint.
///
/// CBOR: `{0: Unix milliseconds, 1: [space-reply, …]}`; a space reply is `{0: space, ? 1: problem,
/// ? 2: [result, …], ? 3: [sequence, hash], 4: epoch, 5: [log-entry as bytes, …], 6: position,
/// 7: chain hash, 8: head, ? 9: fingerprint, ? 10: [hash of a chunk that is wanted, …],
/// ? 11: [position, Unix milliseconds] of the last verified backup}`, or `{0: space, 1: problem}`
/// alone; a result is `[0, position, verdict, reason]` or `[1, problem, sequence]`.
package struct SyncReply: Equatable, Sendable {
    /// The server's wall clock.
    package var time: UnixTime
    /// One reply a space, in the order of the request.
    package var spaces: [SpaceReply]

    /// What the server answers for one space.
    package struct SpaceReply: Equatable, Sendable {
        /// The space.
        package var space: Identifier
        /// Why there is no page, such as `not-found` or `cursor-reset`.
        package var problem: String?
        /// What became of each push item, in order.
        package var results: [PushResult] = []
        /// The last set that the server has of the asking replica.
        package var held: ReplicaHead?
        /// The page; nil where there is a problem.
        package var page: Page?
        /// Chunks that the log names and the server lacks, for whoever has them.
        package var wanted: [Digest] = []
        /// What of this epoch's log is in a verified backup.
        package var backup: BackupMark?

        package init(space: Identifier, problem: String? = nil) {
            self.space = space
            self.problem = problem
        }
    }

    package init(time: UnixTime, spaces: [SpaceReply]) {
        self.time = time
        self.spaces = spaces
    }
}
