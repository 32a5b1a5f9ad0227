internal import SyncCore

/// The stored record of a replica's newest set, with a sum that shows damage.
struct HeadRecord: Sendable {
    let replica: Identifier
    /// Without the owner, which is recorded elsewhere.
    private(set) var state: ReplicaState
    let sum: Int64

    init(replica: Identifier, state: ReplicaState, sum: Int64) {
        (self.replica, self.state, self.sum) = (replica, state, sum)
    }

    func isSound(in space: Identifier) -> Bool {
        sum == Self.sum(of: state, by: replica, in: space)
    }

    /// The same record, but open if it was closed, and closed if it was open.
    var withClosedFlipped: HeadRecord {
        var record = self
        record.state.isClosed.toggle()
        return record
    }

    static func sum(
        of state: ReplicaState,
        by replica: Identifier,
        in space: Identifier
    ) -> Int64 {
        let head = state.head ?? ReplicaHead(sequence: 0, hash: .zero)
        return Checksum.of(
            record: [head.sequence, state.controls, state.isClosed ? 1 : 0],
            space.bytes + replica.bytes + head.hash.bytes + (state.signature?.bytes ?? [])
        )
    }
}
