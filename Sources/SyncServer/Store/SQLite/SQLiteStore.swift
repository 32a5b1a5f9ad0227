internal import SyncCore

/// The store in one SQLite file: one writer, and one commit for everything that waits.
///
/// Writes are collected while a commit is on its way to the disk; the next commit takes them all,
/// each in a savepoint of its own, so that one that fails undoes nothing of the others. Where the
/// disk is full, small writes take from the ``Reserve``. After an error of the disk nothing is
/// written any more, and ``failures`` tells why: nobody can say what of it became durable.
actor SQLiteStore: Store {
    let epoch: Identifier
    let database: Database
    let receiptSecret: Secret
    nonisolated let failures: AsyncStream<any Error>
    nonisolated let isWithoutReserve: Bool
    private let failed: AsyncStream<any Error>.Continuation
    private var reserve: Reserve
    private let executor: QueueExecutor
    private var waiting: [Job] = []
    private var isCommitScheduled = false
    private(set) var commitCount = 0
    private(set) var writeCount = 0

    var tables: SQLiteTables { SQLiteTables(database: database) }

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    /// Opens or creates the store at `path`, beside it a reserve of so many bytes.
    ///
    /// A store that is damaged is refused: a page of it in the log would be passed on for ever.
    ///
    /// - Parameter receipts: the key with which the server signs what it judged.
    init(
        path: String,
        on volume: FileSystem = .system,
        receipts: Secret,
        newEpoch: Identifier,
        reserveByteCount: Int64 = 0
    ) throws {
        let database = try Self.open(path, on: volume)
        try Self.check(database)
        try Self.migrations.migrate(database)
        let tables = SQLiteTables(database: database)
        try tables.setFirstEpoch(newEpoch)
        epoch = try tables.epoch() ?? newEpoch
        self.database = database
        executor = QueueExecutor(label: "store", for: volume)
        receiptSecret = receipts
        reserve = Reserve(Self.reserve(of: path), byteCount: reserveByteCount)
        isWithoutReserve = !reserve.isHeld
        (failures, failed) = AsyncStream.makeStream()
    }

    /// Opens a store as it is, damaged or not; throws ``StoreError/outdated`` for one that an older
    /// program wrote, unless it `migrates` it.
    init(existing path: String, receipts: Secret, migrates: Bool) throws {
        let database = try Database(path: path, isShared: true)
        if migrates { try Self.migrations.migrate(database) }
        try Self.checkVersion(of: database)
        epoch = try Self.epochOfDamaged(database)
        self.database = database
        executor = QueueExecutor(label: "store")
        receiptSecret = receipts
        reserve = Reserve(Self.reserve(of: path), byteCount: 0)
        isWithoutReserve = false
        (failures, failed) = AsyncStream.makeStream()
    }

    private static func checkVersion(of database: Database) throws {
        let (version, known) = (try database.userVersion(), migrations.scripts.count)
        guard version <= known else { throw MigrationError.newer(version: version, known: known) }
        guard version == known else { throw StoreError.outdated }
    }

    /// The epoch, zero where the file is too damaged to tell: a snapshot says what is wrong.
    private static func epochOfDamaged(_ database: Database) throws -> Identifier {
        do {
            return try SQLiteTables(database: database).epoch() ?? .zero
        } catch let error as DatabaseError where error.kind == .corrupt {
            return .zero
        }
    }

    /// On a full disk the reserve makes the room that SQLite needs to open a file for several
    /// processes: a server that took it for itself would shut invitations out for as long as it
    /// runs.
    private static func open(
        _ path: String,
        on volume: FileSystem
    ) throws(DatabaseError) -> Database {
        do {
            return try Database(path: path, on: volume, isShared: true)
        } catch  where error.kind == .full {
            Reserve.release(reserve(of: path))
            return try Database(path: path, on: volume, isShared: true)
        }
    }

    private static func reserve(of path: String) -> String { path + ".reserve" }

    /// Of a large store all but the log and the chunks, which their own hashes guard.
    private static func check(_ database: Database) throws {
        guard try database.byteCount() > checkedByteLimit else { return try database.quickCheck() }
        let tables = try database.all(
            """
            SELECT name FROM sqlite_schema
            WHERE type = 'table' AND name NOT IN ('log', 'chunk') AND name NOT LIKE 'sqlite_%'
            """
        ) { $0.text(0) }
        for table in tables { try database.quickCheck(table) }
    }

    private static let checkedByteLimit: Int64 = 256 << 20

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
    ///
    /// What makes the store grow for good finds it full while the reserve is used up.
    func write<Value: Sendable>(
        isGrowing: Bool = false,
        _ body: @escaping @Sendable (SQLiteTables) throws -> Value
    ) async throws -> Value {
        guard !isGrowing || reserve.hold() else { throw DatabaseError.full }
        do {
            return try await enqueue(body)
        } catch let error as DatabaseError where error.kind == .full {
            guard !isGrowing, reserve.free() else { throw error }
            return try await enqueue(body)
        }
    }

    func checkWritable(at now: UnixTime) async throws {
        _ = try await useNonce("ready", of: .zero, at: now)
        guard reserve.hold(), reserve.hasRoom else { throw DatabaseError.full }
    }

    private func enqueue<Value: Sendable>(
        _ body: @escaping @Sendable (SQLiteTables) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            waiting.append(
                Job(
                    run: { database in
                        let value = Result {
                            try database.savepoint { try body(SQLiteTables(database: database)) }
                        }
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
        if let failure = database.failure {
            failed.yield(failure)
            failed.finish()
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
