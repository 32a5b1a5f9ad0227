/// One device's copy of its spaces: cells, sealed sets and chunks in one SQLite file.
///
/// Every method runs on the replica's own thread and to completion, so nothing suspends inside a
/// transaction and SQLite never blocks the cooperative pool. Several processes may open the same
/// file: what must not be reused (stamps, sequences) is read and written inside transactions.
/// Times and randomness are arguments.
public actor Replica {
    let database: Database
    /// The kinds of data that this program knows.
    public nonisolated let collections: CollectionRegistry
    let localGuard: LocalGuard?
    let newIdentifier: @Sendable () -> Identifier
    /// At the server, where no space key is held: the keys of a device.
    ///
    /// Nil on a device.
    let viewKeys: (@Sendable (_ device: Identifier, _ epoch: UInt64) -> DeviceKeys)?
    private let executor: QueueExecutor
    var replicaNumbers: [Identifier: Int64] = [:]
    var replicaNames: [Int64: Identifier] = [:]
    /// Tracks whose projection must be made anew before the transaction ends.
    var dirtyTracks: Set<TrackPlace> = []
    /// Whether this transaction has sealed already.
    var hasAdvancedGuard = false

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

    /// Opens the replica in a file on a volume.
    package init(
        path: String,
        on volume: Volume,
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
        self.newIdentifier = newIdentifier
        localGuard = LocalGuard(besides: path, on: volume)
        executor = QueueExecutor(label: "replica", for: volume)
        viewKeys = nil
    }

    /// A larger file is not read as a whole at a start; ``verify()`` does that.
    private static let checkedByteLimit: Int64 = 16 << 20

    /// Opens or creates the view of one space at the server: a replica that only ever merges.
    ///
    /// It is derived from the log, so its commits are not made durable one by one.
    ///
    /// - Parameter keys: a device's key of one epoch, with which its sets are opened.
    package init(
        viewAt path: String,
        on volume: Volume = .system,
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
        newIdentifier = Replica.randomIdentifier
        localGuard = nil
        executor = QueueExecutor(label: "view", for: volume)
        viewKeys = keys
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

    /// Makes a replica in a file on a volume.
    @discardableResult
    package static func create(
        at path: String,
        on volume: Volume,
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

    /// Runs `body` in one transaction; projections are up to date when it commits.
    func write<Result>(_ body: () throws -> Result) throws -> Result {
        dirtyTracks = []
        hasAdvancedGuard = false
        do {
            return try database.write {
                let result = try body()
                try projectDirtyTracks()
                return result
            }
        } catch {
            // What was rolled back may have numbered replicas.
            replicaNumbers = [:]
            replicaNames = [:]
            throw error
        }
    }
}

/// What a space is to its members.
public enum SpaceKind: String, Sendable {
    /// A person's own.
    case own
    /// A crew's or a club's.
    case shared
}

/// Why a replica cannot do what it was asked for.
public enum ReplicaError: Error, Hashable {
    /// There is no replica in the file.
    case missing
    /// Nothing was ever written to the file.
    case empty
    /// This replica has no space of that name.
    case unknownSpace(Identifier)
    /// A packed record of cells is damaged: the file is corrupt.
    case damagedRecord
    /// The guard beside the database could not be written.
    case guardNotWritten(errno: Int32)
    /// This device has not joined a server.
    case notJoined
    /// This device joined a server already.
    case alreadyJoined(authority: String)
    /// The link is for another person than the one whose own space this is.
    case anotherPerson(ownSpace: Identifier)
    /// A text or a value above its limit.
    case tooLarge(field: Text, byteCount: Int)
    /// A value that the field's collection does not declare.
    case wrongType(field: Text, expected: String)
    /// A value that nests too deep or holds a number that is not finite.
    case notEncodable(field: Text)
    /// Bytes of a chunk that do not have its name, or that are no chunk.
    case wrongChunk(Digest)
    /// The server's log does not continue the one that was merged before.
    case historyChanged(space: Identifier, position: UInt64)
    /// The server's page cannot be understood.
    case malformedPage(space: Identifier)
    /// The server's log has more that cannot be read than is kept.
    case tooMuchUnreadable(space: Identifier)
}

extension Database {
    /// Makes this database somebody; false where it is somebody already.
    @discardableResult
    fileprivate func addSelf(
        replica: Identifier,
        name: String,
        user: Identifier,
        device: Identifier,
        privateKey: Secret
    ) throws -> Bool {
        try run(
            """
            INSERT INTO self (one, replica, clock, seals, name, user, device, private_key)
            VALUES (1, $1, 0, 0, $2, $3, $4, $5) ON CONFLICT DO NOTHING
            """,
            .id(replica),
            .text(name),
            .id(user),
            .id(device),
            .blob(privateKey.bytes)
        ) == 1
    }

    func addSpace(_ id: Identifier, kind: SpaceKind) throws {
        try run(
            """
            INSERT INTO space (id, kind, epoch, position, chain, head, fingerprint, greatest,
                sequence, previous)
            VALUES ($1, $2, $3, 0, $4, 0, $4, 0, 0, $4) ON CONFLICT DO NOTHING
            """,
            .id(id),
            .text(kind.rawValue),
            .id(.zero),
            .digest(.zero)
        )
    }

    func setKey(of space: Identifier, epoch: UInt64, _ secret: Secret) throws {
        try run(
            """
            INSERT INTO space_key (space, epoch, secret)
            SELECT number, $2, $3 FROM space WHERE id = $1 ON CONFLICT DO NOTHING
            """,
            .id(space),
            .blob(epoch.bigEndianBytes),
            .blob(secret.bytes)
        )
    }
}
