internal import SyncCore

/// The store in one SQLite file, with one writer and group commit.
///
/// Writes queue while a commit is in progress. The next commit takes all of them, each in its own
/// savepoint, so that a failed write undoes no other. On a full disk small writes use the
/// ``Reserve``. After an I/O error the store writes nothing more and yields the error to
/// ``failures``: it is unknown which part of the write became durable.
actor SQLiteStore: Store {
    let epoch: Identifier
    let database: Database
    let receiptSecret: Secret
    nonisolated let failures: AsyncStream<any Error>
    nonisolated let notices: AsyncStream<String>
    nonisolated let isWithoutReserve: Bool
    /// Whether the store serves devices, rather than being inspected.
    let isServing: Bool
    private let failed: AsyncStream<any Error>.Continuation
    let noticed: AsyncStream<String>.Continuation
    private var hasToldLostCommits = false
    /// Whether opening found that the disk lost commits.
    nonisolated let hasLostCommits: Bool
    static let lostCommits = "the disk lost the end of the write-ahead log"
    private var reserve: Reserve
    private let executor: QueueExecutor
    private var waiting: [Job] = []
    private var isCommitScheduled = false
    private(set) var commitCount = 0
    private(set) var writeCount = 0

    private let chains = ChainCache()

    var tables: SQLiteTables { SQLiteTables(database: database, chains: chains) }

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    /// Opens or creates the store at `path`, and beside it a reserve of `reserveByteCount` bytes.
    ///
    /// Rejects a damaged store: a damaged page in the log would be sent to devices for good.
    ///
    /// - Parameter receipts: the key that authenticates receipts.
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
        hasLostCommits = database.hasLostCommits
        if hasLostCommits { try Self.goOn(in: newEpoch, tables) }
        epoch = try tables.epoch() ?? newEpoch
        self.database = database
        executor = QueueExecutor(label: "store", for: volume)
        receiptSecret = receipts
        reserve = Reserve(Self.reserve(of: path), byteCount: reserveByteCount)
        isWithoutReserve = !reserve.isHeld
        isServing = true
        (failures, failed) = AsyncStream.makeStream()
        (notices, noticed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(16))
    }

    /// Opens an existing store, damaged or not.
    ///
    /// Throws ``StoreError/outdated`` for a store that an older program version wrote, unless
    /// `migrates` is true.
    init(existing path: String, receipts: Secret, migrates: Bool) throws {
        let database = try Database(path: path, isShared: true)
        // If this fails, the next process must be able to see what is lost.
        hasLostCommits = database.hasLostCommits
        if hasLostCommits { database.keepLog() }
        if migrates { try Self.migrations.migrate(database) }
        try Self.checkVersion(of: database)
        if hasLostCommits {
            try Self.goOn(in: Replica.randomIdentifier(), SQLiteTables(database: database))
        }
        epoch = try Self.epochOfDamaged(database)
        self.database = database
        executor = QueueExecutor(label: "store")
        receiptSecret = receipts
        reserve = Reserve(Self.reserve(of: path), byteCount: 0)
        isWithoutReserve = false
        isServing = false
        (failures, failed) = AsyncStream.makeStream()
        (notices, noticed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(16))
    }

    /// Begins an epoch because the disk lost the newest commits.
    ///
    /// Members may have merged entries of these commits, and would report two histories if the epoch
    /// stayed the same. The process that opens the store first must do this: later ones cannot detect
    /// the loss.
    private static func goOn(in epoch: Identifier, _ tables: SQLiteTables) throws {
        try tables.database.write { try tables.beginEpoch(epoch) }
        // What is left of the old log behind this commit would look like another loss.
        try tables.database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    private static func checkVersion(of database: Database) throws {
        let (version, known) = (try database.userVersion(), migrations.scripts.count)
        guard version <= known else { throw MigrationError.newer(version: version, known: known) }
        guard version == known else { throw StoreError.outdated }
    }

    /// Returns the epoch, or zero if the file is too damaged; a snapshot reports the damage.
    private static func epochOfDamaged(_ database: Database) throws -> Identifier {
        do {
            return try SQLiteTables(database: database).epoch() ?? .zero
        } catch let error as DatabaseError where error.kind == .corrupt {
            return .zero
        }
    }

    /// Opens the database for several processes, and releases the reserve if the disk is full.
    ///
    /// SQLite needs disk space to share a database. Opening it exclusively instead would block the
    /// invite command for as long as the server runs.
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

    /// Checks a small store whole, a larger one without the log and chunks, which have hashes.
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

    /// Reports the result of a commit to a caller.
    private typealias Reply = @Sendable (Result<Void, any Error>) -> Void

    /// A write that waits for its commit.
    private struct Job {
        /// Runs inside the transaction, and returns the reply to call after the commit.
        let run: @Sendable (Database) -> Reply
        /// Reports that the transaction did not begin.
        let fail: @Sendable (any Error) -> Void
    }

    /// Runs `body` in the next commit, and returns once that is durable.
    ///
    /// While the reserve is used up, a write that grows the store (`isGrowing`) throws
    /// `DatabaseError.full`.
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
        let chains = chains
        return try await withCheckedThrowingContinuation { continuation in
            waiting.append(
                Job(
                    run: { database in
                        let value = Result {
                            try database.savepoint {
                                try body(SQLiteTables(database: database, chains: chains))
                            }
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

    /// Runs jobs in one transaction and reports the result to each.
    ///
    /// On a full disk SQLite may roll back the whole transaction, savepoints included. Each job is
    /// then retried alone, so that those that fit are stored.
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
        tellFaultyPages()
        switch commit {
        case .failure(is Undone) where jobs.count > 1: for job in jobs { self.commit([job]) }
        // The job's own result carries the error.
        case .failure(is Undone): for reply in replies { reply(.success(())) }
        case .failure(let error) where replies.isEmpty: for job in jobs { job.fail(error) }
        default: for reply in replies { reply(commit) }
        }
    }

    /// Tells the operator of damaged entries that were repaired, or whose sets devices must bring.
    func tellRepaired(_ positions: [UInt64], in space: Identifier) {
        guard let first = positions.first else { return }
        let rest = positions.count > 1 ? " (and \(positions.count - 1) more)" : ""
        noticed.yield(
            "store.db: entry \(first) of space \(space) was damaged\(rest): repaired, or a device must send "
                + "it again"
        )
    }

    private func tellFaultyPages() {
        let (corrected, damaged) = (database.takeCorrectedPages(), database.takeDamagedPages())
        if !corrected.isEmpty {
            noticed.yield("store.db: a flipped bit in \(corrected.words) was put right")
        }
        if hasLostCommits, !hasToldLostCommits {
            hasToldLostCommits = true
            noticed.yield(
                "store.db: \(Self.lostCommits); devices send it again"
            )
        }
        if !damaged.isEmpty {
            noticed.yield(
                "store.db: the checksum of \(damaged.words) does not match; see 'wake-server doctor'"
            )
        }
    }

    /// SQLite rolled the transaction back by itself.
    private struct Undone: Error {}
}
