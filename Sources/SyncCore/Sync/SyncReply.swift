/// The reply to a ``SyncRequest``: for each space the push results, the head and a page of the log.
///
/// CBOR: `{0: Unix milliseconds, 1: [space-reply, …]}`. A space reply is `{0: space, ? 1: problem,
/// ? 2: [result, …], ? 3: [sequence, hash] or [sequence, hash, signature, controls], 4: epoch, 5: [log-entry as bytes, …], 6: position, 7:
/// chain hash, 8: head, ? 9: fingerprint, ? 10: [hash of a wanted chunk, …], ? 11: [position, Unix
/// milliseconds] of the last verified backup, ? 12: number of control sets, ? 13: [[epoch, position,
/// chain hash], …], ? 14: [position of a set that the server lost, or whose body it lost, …]}`. Key 13 has the
/// ends of earlier logs in a page from the beginning. Keys 4 to 8 form the page: all are present, or none
/// is, and then key 9 is absent too. A result is `[0, position, verdict, reason]` or `[1, problem,
/// sequence]`.
package struct SyncReply: Equatable, Sendable {
    package var time: UnixTime
    /// The replies, one for each space, in the order of the request.
    package var spaces: [SpaceReply]

    package struct SpaceReply: Equatable, Sendable {
        package var space: Identifier
        /// Why there is no page, such as `not-found` or `cursor-reset`; nil if there is one.
        package var problem: String?
        /// The result of each push item, in the order of the request.
        package var results: [PushResult] = []
        /// The head of the requesting replica in this log, or nil if the log has none.
        package var held: NamedHead?
        /// The page of the log, or nil if there is a problem.
        package var page: Page?
        /// Chunks that the log names but the server lacks; any device that has one uploads it.
        package var wanted: [Digest] = []
        /// The first positions of sets that the server lost, and of accepted sets whose bodies it lost,
        /// up to ``Limits/entryLimit``; any device that has one sends it.
        package var gaps: [UInt64] = []
        /// How much of this epoch's log is in a verified backup.
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
