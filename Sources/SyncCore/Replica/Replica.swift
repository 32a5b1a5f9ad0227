/// One device's copy of its spaces: cells, sealed sets and chunks in one SQLite file.
///
/// ``read(_:)`` and ``write(_:)`` run a body on the replica's own thread and to completion, so nothing
/// suspends inside a transaction and SQLite never blocks the cooperative pool. Several processes may open the same
/// file: what must not be reused (stamps, sequences) is read and written inside transactions.
/// Times and randomness are arguments.
public actor Replica {
    let database: Database
    /// The kinds of data that this program knows.
    public nonisolated let collections: CollectionRegistry
    let parts: ReplicaParts
    private let executor: QueueExecutor

    /// The replica's queue.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    /// Opens the replica in the file at `path`, which ``create(at:name:using:)`` made, as a program
    /// that knows `collections`.
    ///
    /// Errors: ``ReplicaError/missing`` where there is none, ``ReplicaError/empty`` for a file that
    /// nothing was written to, ``DatabaseError`` for what SQLite finds, `MigrationError` for a
    /// file of a newer program or of another one. `newIdentifier` makes the random names of new
    /// rows, streams and replica ids. While another process writes, a call waits as `lockWait` says.
    public init(
        path: String,
        collections: CollectionRegistry = .standard,
        lockWait: LockWait = LockWait(),
        newIdentifier: @escaping @Sendable () -> Identifier = Replica.randomIdentifier
    ) throws {
        try self.init(
            path: path,
            on: .system,
            collections: collections,
            lockWait: lockWait,
            newIdentifier: newIdentifier
        )
    }

    /// Opens the replica in a file on a file system.
    package init(
        path: String,
        on volume: FileSystem,
        collections: CollectionRegistry = .standard,
        lockWait: LockWait = LockWait(),
        newIdentifier: @escaping @Sendable () -> Identifier
    ) throws {
        guard volume.contains(path) else { throw ReplicaError.missing }
        let database = try Database(path: path, on: volume, lockWait: lockWait)
        guard try !Self.migrations.isEmpty(database) else { throw ReplicaError.empty }
        try database.checkOnce(path, on: volume, byteLimit: Self.checkedByteLimit)
        try Self.migrations.migrate(database)
        guard try database.first("SELECT 1 FROM self", read: { _ in true }) == true else {
            throw ReplicaError.missing
        }
        self.database = database
        self.collections = collections
        executor = QueueExecutor(label: "replica", for: volume)
        parts = ReplicaParts(
            context: ReplicaContext(
                database: database,
                collections: collections,
                newIdentifier: newIdentifier,
                observer: TrackChanges(database: database, collections: collections),
                localGuard: SealCounter(besides: path, on: volume),
                viewKeys: nil
            )
        )
    }

    /// A larger file is not read as a whole at a start; ``Maintenance/verify()`` does that.
    private static let checkedByteLimit: Int64 = 16 << 20

    /// Opens or creates the view of one space at the server: a replica that only ever merges.
    ///
    /// It is derived from the log, so its commits are not made durable one by one.
    ///
    /// - Parameter keys: a device's key of one epoch, with which its sets are opened.
    package init(
        viewAt path: String,
        on volume: FileSystem = .system,
        of space: Identifier,
        keys: @escaping @Sendable (_ device: Identifier, _ epoch: UInt64) -> DeviceKeys
    ) throws {
        let database = try Database(path: path, on: volume, durability: .normal)
        if try database.byteCount() <= Self.checkedByteLimit { try database.quickCheck() }
        try Self.migrations.migrate(database)
        try database.write {
            try database.addSelf(
                replica: .zero,
                name: "view",
                user: .zero,
                device: .zero,
                privateKey: Secret(bytes: Identifier.zero.bytes)
            )
            try database.addSpace(space, kind: .shared)
        }
        self.database = database
        // What it merges, it merges unseen.
        collections = .standard
        executor = QueueExecutor(label: "view", for: volume)
        parts = ReplicaParts(
            context: ReplicaContext(
                database: database,
                collections: .standard,
                newIdentifier: Replica.randomIdentifier,
                observer: TrackChanges(database: database, collections: .standard),
                localGuard: nil,
                viewKeys: keys
            )
        )
    }

    /// An identifier from the system's randomness.
    public static let randomIdentifier: @Sendable () -> Identifier = {
        var generator = SystemRandomNumberGenerator()
        return .random(using: &generator)
    }

    /// Makes a replica with a user, a device and an own space of its own; no server is needed.
    ///
    /// Nothing happens where one exists already: the first name stays, and the answer is false. Only
    /// its owner can read the file, and what SQLite makes beside it, for it holds keys.
    @discardableResult
    public static func create(
        at path: String,
        name: String,
        using generator: inout some RandomNumberGenerator
    ) throws -> Bool {
        try create(at: path, on: .system, name: name, using: &generator)
    }

    /// Makes a replica in a file on a file system.
    @discardableResult
    package static func create(
        at path: String,
        on volume: FileSystem,
        name: String,
        using generator: inout some RandomNumberGenerator
    ) throws -> Bool {
        volume.makePrivate(path)
        let database = try Database(path: path, on: volume)
        try migrations.migrate(database)
        let ids = (0..<4).map { _ in Identifier.random(using: &generator) }
        let (privateKey, spaceSecret) = (
            Secret.random(using: &generator), Secret.random(using: &generator)
        )
        return try database.write {
            let isNew = try database.addSelf(
                replica: ids[0],
                name: name,
                user: ids[1],
                device: ids[2],
                privateKey: privateKey
            )
            guard isNew else { return false }
            try database.addSpace(ids[3], kind: .own)
            try database.setKey(of: ids[3], epoch: 1, spaceSecret)
            return true
        }
    }

    /// Runs `body` in one transaction: all that it writes is durable when this returns, or nothing is.
    ///
    /// Projections are up to date when it commits. Nothing else runs on the replica meanwhile.
    @discardableResult
    public func write<Result: Sendable>(
        _ body: @Sendable (ReplicaParts) throws -> Result
    ) throws -> Result {
        parts.context.localGuard?.isAdvanced = false
        parts.observer.forget()
        do {
            return try database.write {
                let result = try body(parts)
                try parts.observer.update(in: parts)
                return result
            }
        } catch {
            parts.replicas.forget()
            throw error
        }
    }

    /// Runs `body` against one unchanging state of the file.
    ///
    /// For reading only: a part's methods that write belong into ``write(_:)``. Nothing else runs on the
    /// replica meanwhile.
    public func read<Result: Sendable>(
        _ body: @Sendable (ReplicaParts) throws -> Result
    ) throws -> Result {
        try database.read { try body(parts) }
    }

    /// Runs `body` without a transaction, for work that writes files while it reads.
    ///
    /// Each query sees the state of its moment. A transaction would keep other processes from shortening
    /// the write-ahead log for as long as a pipe or a disk blocks.
    package func stream<Result: Sendable>(
        _ body: @Sendable (ReplicaParts) throws -> Result
    ) throws -> Result {
        try body(parts)
    }
}
