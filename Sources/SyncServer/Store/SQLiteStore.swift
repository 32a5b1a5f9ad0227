internal import SyncCore

/// The store in one SQLite file: one writer, and one commit for everything that waits.
///
/// Writes are collected while a commit is on its way to the disk; the next commit takes them all,
/// each in a savepoint of its own, so that one that fails undoes nothing of the others.
actor SQLiteStore: Store {
    let epoch: Identifier
    let database: Database
    let receiptSecret: Secret
    private let executor = QueueExecutor(label: "store")
    private var waiting: [Job] = []
    private var isCommitScheduled = false
    /// Commits and writes so far: their ratio is what group commit saves.
    private(set) var commitCount = 0
    private(set) var writeCount = 0

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    /// Opens or creates the store at `path`.
    ///
    /// - Parameter receipts: the key with which the server signs what it judged.
    init(path: String, receipts: Secret, newEpoch: Identifier) throws {
        let database = try Database(path: path)
        try Self.migrations.migrate(database)
        try database.run(
            "INSERT INTO server (one, epoch) VALUES (1, $1) ON CONFLICT DO NOTHING",
            .id(newEpoch)
        )
        epoch = try database.first("SELECT epoch FROM server") { $0.id(0) } ?? newEpoch
        self.database = database
        receiptSecret = receipts
    }

    /// Tells a caller how the commit went.
    private typealias Reply = @Sendable (Result<Void, any Error>) -> Void

    /// One write that waits for its commit.
    private struct Job {
        /// Runs inside the transaction; returns what to call after the commit.
        let run: @Sendable (Database) -> Reply
        /// Tells that there was no transaction.
        let fail: @Sendable (any Error) -> Void
    }

    /// Runs `body` in the next commit and returns once that is durable.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            waiting.append(
                Job(
                    run: { database in
                        let value = Result { try database.savepoint { try body(database) } }
                        return { continuation.resume(with: $0.flatMap { value }) }
                    },
                    fail: { continuation.resume(throwing: $0) }
                )
            )
            guard !isCommitScheduled else { return }
            isCommitScheduled = true
            Task { commitWaiting() }
        }
    }

    private func commitWaiting() {
        let jobs = waiting
        waiting = []
        isCommitScheduled = false
        writeCount += jobs.count
        commit(jobs)
    }

    /// Runs jobs in one transaction and tells each how it went.
    ///
    /// A full disk makes SQLite undo the whole transaction, whatever the savepoints say: then each
    /// job is tried alone, so that what fits is stored.
    private func commit(_ jobs: [Job]) {
        commitCount += 1
        var replies: [Reply] = []
        let commit = Result {
            try database.write {
                for job in jobs {
                    replies.append(job.run(database))
                    guard database.isInTransaction else { throw Undone() }
                }
            }
        }
        switch commit {
        case .failure(is Undone) where jobs.count > 1: for job in jobs { self.commit([job]) }
        // The job has an error of its own to tell.
        case .failure(is Undone): for reply in replies { reply(.success(())) }
        case .failure(let error) where replies.isEmpty: for job in jobs { job.fail(error) }
        default: for reply in replies { reply(commit) }
        }
    }

    /// SQLite ended a transaction by itself.
    private struct Undone: Error {}
}
