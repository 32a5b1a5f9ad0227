/// What all parts of a replica share: its database, and what it was opened with.
public final class ReplicaContext {
    let database: Database
    let collections: CollectionRegistry
    let newIdentifier: @Sendable () -> Identifier
    let replicas: ReplicaNumbers
    /// What is told of rows and chunks that change.
    let observer: any RowObserver
    /// The counter beside the database; nil at the server.
    let localGuard: SealCounter?
    /// At the server, where no space key is held: the keys of a device; nil on a device.
    let viewKeys: ViewKeys?

    /// A device's keys of one epoch.
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
        replicas = ReplicaNumbers(database: database)
    }
}
