/// All parts of a replica, inside ``Replica/read(_:)`` and ``Replica/write(_:)``.
public struct ReplicaParts: ReplicaPart {
    /// The context that all parts share.
    public let context: ReplicaContext
}
