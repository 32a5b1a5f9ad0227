/// A device's replica of its spaces: cells, sealed sets and chunks in one SQLite file.
///
/// ``read(_:)`` and ``write(_:)`` run a body to completion on the replica's own thread. So nothing
/// suspends inside a transaction, and SQLite never blocks the cooperative pool. Several processes
/// may open the same file: stamps and sequences, which must never be reused, are read and written
/// inside transactions. Times and randomness are arguments.
public actor Replica {
    let database: Database
    /// The collections that this program knows.
    public nonisolated let collections: CollectionRegistry
    let parts: ReplicaParts
    private let executor: QueueExecutor
    /// The damaged pages that are recorded.
    private var toldDamage = FaultyPages()
    private var hasToldLostCommits = false
    /// Whether opening found that the disk lost changes which were stored: the last ones before that.
    public nonisolated let hasLostChanges: Bool

    /// The executor of the replica's own queue.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    /// Opens the replica in the file at `path`, which ``create(at:name:now:using:)`` made.
    ///
    /// The program knows the data in `collections`; `newIdentifier` creates ids of rows, streams
    /// and replicas. While another process writes, a call waits according to `lockWait`. What is found
    /// damaged by a call without a time is recorded with the time of `clock`, or that of the last stamp.
    ///
    /// Throws ``ReplicaError/missing`` if there is no replica, ``ReplicaError/empty`` for an empty
    /// file, ``ReplicaError/lostIdentity`` for a damaged one, ``DatabaseError`` for an error of
    /// SQLite, and `MigrationError` for a file of a newer or different program.
    public init(
        path: String,
        collections: CollectionRegistry = .standard,
        lockWait: LockWait = LockWait(),
        newIdentifier: @escaping @Sendable () -> Identifier = Replica.randomIdentifier,
        clock: (@Sendable () -> UnixTime)? = nil
    ) throws {
        try self.init(
            path: path,
            on: .system,
            collections: collections,
            lockWait: lockWait,
            newIdentifier: newIdentifier,
            clock: clock
        )
    }

    /// Opens the replica in a file on a file system.
    package init(
        path: String,
        on fileSystem: FileSystem,
        collections: CollectionRegistry = .standard,
        lockWait: LockWait = LockWait(),
        newIdentifier: @escaping @Sendable () -> Identifier,
        clock: (@Sendable () -> UnixTime)? = nil
    ) throws {
        guard fileSystem.contains(path) else { throw ReplicaError.missing }
        let database = try Database(path: path, on: fileSystem, lockWait: lockWait)
        guard try !Self.migrations.isEmpty(database) else { throw ReplicaError.empty }
        try database.checkOnce(path, on: fileSystem, byteLimit: Self.checkedByteLimit)
        try Self.migrations.migrate(database)
        guard try database.first("SELECT 1 FROM self", read: { _ in true }) == true else {
            throw try database.identityError()
        }
        self.database = database
        self.collections = collections
        executor = QueueExecutor(label: "replica", for: fileSystem)
        parts = ReplicaParts(
            context: ReplicaContext(
                database: database,
                collections: collections,
                newIdentifier: newIdentifier,
                observer: TrackChanges(database: database, collections: collections),
                localGuard: SealCounter(besides: path, on: fileSystem),
                clock: clock
            )
        )
        hasLostChanges = database.hasLostCommits
        guard hasLostChanges else { return }
        // The first commit overwrites the mark that shows it, and closing removes it.
        database.keepLog()
        let healing = parts.healing
        let recorded: Void? = try? database.write { try healing.record(.cutShort, "") }
        hasToldLostCommits = recorded != nil
    }

    /// Larger files are not checked at opening; ``Maintenance/verify()`` checks them.
    private static let checkedByteLimit: Int64 = 16 << 20

    /// Opens or creates the server's view of one space: a replica that only merges.
    ///
    /// The view is derived from the log, so its commits need not survive power loss.
    package init(
        viewAt path: String,
        on fileSystem: FileSystem = .system,
        of space: Identifier
    ) throws {
        let database = try Database(path: path, on: fileSystem, durability: .normal)
        if try database.byteCount() <= Self.checkedByteLimit { try database.quickCheck() }
        try Self.migrations.migrate(database)
        try database.write {
            try database.addSelf(
                replica: .zero,
                name: "view",
                keys: Self.unusedKeys
            )
            try database.addSpace(space, kind: .shared)
        }
        hasLostChanges = false
        self.database = database
        // A view merges every collection alike.
        collections = .standard
        executor = QueueExecutor(label: "view", for: fileSystem)
        parts = ReplicaParts(
            context: ReplicaContext(
                database: database,
                collections: .standard,
                newIdentifier: Replica.randomIdentifier,
                observer: TrackChanges(database: database, collections: .standard),
                localGuard: nil,
                isView: true
            )
        )
    }

    /// Returns an identifier from the system's random number generator.
    public static let randomIdentifier: @Sendable () -> Identifier = {
        var generator = SystemRandomNumberGenerator()
        return .random(using: &generator)
    }

    /// The keys of a view, which signs nothing.
    private static let unusedKeys = KeyPairs(
        signing: SigningKey(seed: Secret(bytes: [UInt8](repeating: 0, count: 32))),
        agreement: AgreementKey(secret: Secret(bytes: [UInt8](repeating: 0, count: 32)))
    )

    /// Creates a replica with a new user, device and own space; needs no server.
    ///
    /// Returns false and changes nothing if the file has a replica already. The file contains keys,
    /// so only its owner can read it and the files that SQLite puts beside it.
    @discardableResult
    public static func create(
        at path: String,
        name: String,
        now: UnixTime,
        using generator: inout some RandomNumberGenerator
    ) throws -> Bool {
        try create(at: path, on: .system, name: name, now: now, using: &generator)
    }

    /// Creates a replica in a file on a file system.
    @discardableResult
    package static func create(
        at path: String,
        on fileSystem: FileSystem,
        name: String,
        now: UnixTime,
        using generator: inout some RandomNumberGenerator
    ) throws -> Bool {
        fileSystem.makePrivate(path)
        let database = try Database(path: path, on: fileSystem)
        try migrations.migrate(database)
        let replica = Identifier.random(using: &generator)
        let keys = KeyPairs.random(using: &generator)
        let parts = ReplicaParts(
            context: ReplicaContext(
                database: database,
                collections: .standard,
                newIdentifier: randomIdentifier,
                observer: TrackChanges(database: database, collections: .standard),
                localGuard: nil
            )
        )
        return try database.write {
            let known = try database.identityError()
            guard try database.addSelf(replica: replica, name: name, keys: keys) else {
                return false
            }
            // Another identity would hide the rest of a damaged replica.
            guard known == .missing else { throw known }
            try parts.controlSealer.foundOwnSpace(by: keys, at: now, using: &generator)
            return true
        }
    }

    /// Runs `body` in one transaction, which is durable when the call returns.
    ///
    /// An error rolls everything back. Projections are updated before the commit. Nothing else runs
    /// on the replica during the call.
    @discardableResult
    public func write<Result: Sendable>(
        _ body: @Sendable (ReplicaParts) throws -> Result
    ) throws -> Result {
        try healing(isRepeatable: false) { try transaction(body) }
    }

    private func transaction<Result: Sendable>(
        _ body: (ReplicaParts) throws -> Result
    ) throws -> Result {
        parts.context.localGuard?.isAdvanced = false
        parts.observer.forget()
        return try undoing {
            try database.write {
                let result = try body(parts)
                try parts.observer.update(in: parts)
                return result
            }
        }
    }

    /// The most damaged parts that one call restores; `doctor --repair` looks for all.
    private static let damageLimit = 64

    /// Runs a transaction; restores each damaged part that it meets, and runs it again.
    ///
    /// What was read from a damaged page is read once more, if it `isRepeatable`: a transaction that
    /// wrote is not, unless it failed.
    private func healing<Result>(
        isRepeatable: Bool,
        _ run: () throws -> Result
    ) throws -> Result {
        var healed: Set<Damage> = []
        var isRepeated = false
        while true {
            do {
                let result = try run()
                tellCorrectedPages()
                tellLostCommits()
                let isDoubtful = tellDamagedPages()
                if !isDoubtful || !isRepeatable || isRepeated { return result }
            } catch ReplicaError.damaged(let damage) where healed.count < Self.damageLimit {
                guard healed.insert(damage).inserted else { throw ReplicaError.damagedRecord }
                healed.formUnion(try heal([damage]))
                continue
            } catch let error as DatabaseError where error.kind == .corrupt && !isRepeated {
                guard tellDamagedPages() else { throw error }
            }
            isRepeated = true
        }
    }

    /// Records that flipped bits in the file were put right, and writes their pages.
    ///
    /// An error here does not matter: what was asked for is done, and the next process tells it.
    private func tellCorrectedPages() {
        guard !parts.context.isView else { return }
        let pages = database.takeCorrectedPages()
        guard !pages.isEmpty else { return }
        let words = "a flipped bit in \(pages.words) of the database was put right"
        try? transaction { try $0.healing.record(.repaired, words) }
        try? database.writeCorrectedPages()
    }

    /// Records that the disk lost changes that were stored; who made them may make them again.
    private func tellLostCommits() {
        guard hasLostChanges, !hasToldLostCommits else { return }
        hasToldLostCommits = (try? transaction { try $0.healing.record(.cutShort, "") }) != nil
    }

    /// Records pages that do not match their checksum, once, and builds the indexes anew, which may be
    /// wrong; returns whether it did, so that what was read may be wrong.
    ///
    /// If the file is locked, full or read-only, a later call does it.
    private func tellDamagedPages() -> Bool {
        let pages = database.damagedPages
        guard !pages.isEmpty, pages != toldDamage, !parts.context.isView else { return false }
        do {
            let new = try database.read {
                pages.without(Set(try parts.events.damagedPages().numbers))
            }
            if !new.isEmpty {
                try rebuildIndexes()
                try transaction { try $0.healing.record(.damaged, new.list) }
            }
            toldDamage = pages
            return !new.isEmpty
        } catch {
            return false
        }
    }

    /// Builds the indexes anew; those that SQLite cannot read stay as they are.
    private func rebuildIndexes() throws {
        do {
            try database.execute("REINDEX")
        } catch  where error.kind == .corrupt {}
    }

    /// Restores parts in one transaction, and first another one if they turn out to depend on it;
    /// returns all of them.
    ///
    /// What is derived from several parts is computed once all of them are restored.
    private func heal(_ damages: [Damage]) throws -> [Damage] {
        do {
            try transaction { try damages.forEach($0.healing.heal) }
            return damages
        } catch ReplicaError.damaged(let other)
            where !damages.contains(other) && damages.count < Self.damageLimit
        {
            return try heal([other] + damages)
        }
    }

    /// Runs a transaction; after a rollback, forgets what it changed.
    private func undoing<Result>(_ transaction: () throws -> Result) throws -> Result {
        do {
            return try transaction()
        } catch {
            parts.context.forgetChanges()
            throw error
        }
    }

    /// Runs `body` on one snapshot of the file.
    ///
    /// For reading only: functions that write belong in ``write(_:)``. Nothing else runs on the
    /// replica during the call. If it meets damage that can be restored, that is done first.
    public func read<Result: Sendable>(
        _ body: @Sendable (ReplicaParts) throws -> Result
    ) throws -> Result {
        try healing(isRepeatable: true) { try undoing { try database.read { try body(parts) } } }
    }

    /// Writes all pages anew if some were or are damaged; returns whether that was so.
    ///
    /// What is on them is as the other repairs left it.
    package func rewriteDamagedPages() throws -> Bool {
        try database.scanPages()
        let wasDamaged = try database.read { try !parts.events.damagedPages().isEmpty }
        guard wasDamaged || !database.damagedPages.isEmpty else { return false }
        try database.rewritePages()
        try transaction { try $0.healing.record(.rewritten, "") }
        return true
    }

    /// Runs `body` without a transaction, for work that writes files while it reads.
    ///
    /// Each query sees the latest state. A transaction would keep other processes from truncating
    /// the write-ahead log while a pipe or a disk blocks.
    package func stream<Result: Sendable>(
        _ body: @Sendable (ReplicaParts) throws -> Result
    ) throws -> Result {
        try body(parts)
    }
}
