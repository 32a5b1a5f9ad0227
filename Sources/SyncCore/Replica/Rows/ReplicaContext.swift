/// The database of a replica, with the options that it was opened with, shared by all parts.
public final class ReplicaContext {
    let database: Database
    let collections: CollectionRegistry
    let newIdentifier: @Sendable () -> Identifier
    /// The numbers of replica ids and of field names in packed cells.
    let replicas: Numbers<Identifier>
    let fields: Numbers<Text>
    /// Receives the changes of rows and chunks.
    let observer: any RowObserver
    /// The seal counter beside the database; nil at the server.
    let localGuard: SealCounter?
    /// Whether this is a server's view, which only merges and holds no space key.
    let isView: Bool
    /// Returns the time of what is found damaged by a call without a time.
    let clock: (@Sendable () -> UnixTime)?
    /// The control chains that were evaluated last, by the number of their space.
    var chains: [Int64: ControlChain] = [:]

    init(
        database: Database,
        collections: CollectionRegistry,
        newIdentifier: @escaping @Sendable () -> Identifier,
        observer: any RowObserver,
        localGuard: SealCounter?,
        isView: Bool = false,
        clock: (@Sendable () -> UnixTime)? = nil
    ) {
        self.database = database
        self.collections = collections
        self.newIdentifier = newIdentifier
        self.observer = observer
        self.localGuard = localGuard
        self.clock = clock
        self.isView = isView
        replicas = Numbers(ofReplicasIn: database)
        fields = Numbers(ofFieldsIn: database)
    }

    /// Forgets what a transaction changed, after a rollback.
    func forgetChanges() {
        replicas.forget()
        fields.forget()
        chains = [:]
    }

    /// Reads packed cells.
    func cells(in bytes: [UInt8]) throws -> CellRecord {
        try CellRecord(
            decoding: bytes,
            replica: replicas.name(numbered:),
            field: fields.name(numbered:)
        )
    }

    /// Returns packed cells.
    func packed(_ record: CellRecord) throws -> [UInt8] {
        try record.encoded(replica: replicas.number(of:), field: fields.small)
    }
}
