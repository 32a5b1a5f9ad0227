internal import SyncCore

/// The name of a change set without its hash.
///
/// Two sets share it if a copied database file used the same sequence twice.
struct ReplicaSequence: Hashable, Sendable {
    let replica: Identifier
    let sequence: UInt64
}
