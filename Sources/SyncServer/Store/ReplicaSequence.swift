internal import SyncCore

/// The name of a set without its hash: two sets have it where a copied replica used it twice.
struct ReplicaSequence: Hashable, Sendable {
    let replica: Identifier
    let sequence: UInt64
}
