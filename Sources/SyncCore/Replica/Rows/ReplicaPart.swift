/// A part of a replica: some tables, and what is done with them.
///
/// An extension in the part's file makes it a property of every part. Which parts may use which
/// follows from their folders; a test enforces it.
public protocol ReplicaPart {
    /// What all parts share.
    var context: ReplicaContext { get }
}

extension ReplicaPart {
    var database: Database { context.database }
    var collections: CollectionRegistry { context.collections }
    var newIdentifier: @Sendable () -> Identifier { context.newIdentifier }
    var replicas: ReplicaNumbers { context.replicas }
    var observer: any RowObserver { context.observer }
    /// Whether this is a server's view, which only ever merges.
    var isView: Bool { context.viewKeys != nil }

    package var identity: LocalIdentity { LocalIdentity(database: database) }
    /// The spaces and their keys.
    public var spaces: Spaces { Spaces(database: database) }
    /// What happened to this database.
    public var events: EventLog { EventLog(database: database) }
}
