/// The rows that a sync sent and received, each once.
///
/// The log counts change sets. A person counts tracks and places, and did not receive what this
/// device sent.
package struct SyncedRows: Hashable, Sendable {
    /// The rows in own sets that the log accepted.
    package var sent: Set<Key> = []
    /// The rows in the sets of others that the log accepted, and that this replica can read.
    package var received: Set<Key> = []

    package var isEmpty: Bool { sent.isEmpty && received.isEmpty }

    package mutating func formUnion(_ other: SyncedRows) {
        sent.formUnion(other.sent)
        received.formUnion(other.received)
    }
}
