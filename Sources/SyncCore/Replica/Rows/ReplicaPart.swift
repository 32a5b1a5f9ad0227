/// A part of a replica: some tables and the functions on them.
///
/// An extension in the part's folder makes it a property of every part. The folders decide which
/// parts may use which; a test enforces it.
public protocol ReplicaPart {
    /// The context that all parts share.
    var context: ReplicaContext { get }
}

extension ReplicaPart {
    var database: Database { context.database }
    var collections: CollectionRegistry { context.collections }
    var newIdentifier: @Sendable () -> Identifier { context.newIdentifier }
    var replicas: Numbers<Identifier> { context.replicas }
    var observer: any RowObserver { context.observer }
    /// Whether this is a server's view, which only merges.
    var isView: Bool { context.isView }

    /// Returns the address of a row of a space.
    func address(_ id: Identifier, in space: Identifier) throws -> RowAddress {
        RowAddress(space: try spaces.number(ofSpace: space), id: id)
    }

    package var identity: LocalIdentity { LocalIdentity(database: database) }
    /// The spaces and their keys.
    public var spaces: Spaces { Spaces(database: database) }
    /// The events of this database.
    public var events: EventLog { EventLog(database: database) }
    /// What no honest server and no honest member does.
    public var breaches: Breaches { Breaches(database: database) }
    package var actions: Actions { Actions(context: context) }
    /// The cells of all rows.
    public var rows: Rows { Rows(context: context) }
    package var unsealed: UnsealedChanges { UnsealedChanges(context: context) }
    package var clockPeriods: ClockPeriods { ClockPeriods(context: context) }
}
