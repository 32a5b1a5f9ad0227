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
    /// Returns a device's keys at the server, which holds no space key; nil on a device.
    let viewKeys: ViewKeys?

    /// A function that returns a device's keys of one key epoch.
    package typealias ViewKeys = @Sendable (_ device: Identifier, _ epoch: UInt64) -> DeviceKeys

    init(
        database: Database,
        collections: CollectionRegistry,
        newIdentifier: @escaping @Sendable () -> Identifier,
        observer: any RowObserver,
        localGuard: SealCounter?,
        viewKeys: ViewKeys?
    ) {
        self.database = database
        self.collections = collections
        self.newIdentifier = newIdentifier
        self.observer = observer
        self.localGuard = localGuard
        self.viewKeys = viewKeys
        replicas = Numbers(ofReplicasIn: database)
        fields = Numbers(ofFieldsIn: database)
    }

    /// Forgets the numbers that a transaction assigned, after a rollback.
    func forgetNumbers() {
        replicas.forget()
        fields.forget()
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
