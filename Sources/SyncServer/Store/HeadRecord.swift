internal import SyncCore

/// What a store has recorded of a replica's newest set, with a sum that shows damage.
struct HeadRecord: Sendable {
    let replica: Identifier
    let head: ReplicaHead
    /// Without the owner, which is recorded elsewhere.
    let state: ReplicaState
    let sum: Int64

    func isSound(in space: Identifier) -> Bool {
        sum == Self.sum(of: head, by: replica, state, in: space)
    }

    static func sum(
        of head: ReplicaHead,
        by replica: Identifier,
        _ state: ReplicaState,
        in space: Identifier
    ) -> Int64 {
        let numbers = [head.sequence, state.controls, state.isClosed ? 1 : 0]
        let bytes =
            space.bytes + replica.bytes + head.hash.bytes + numbers.flatMap(\.bigEndianBytes)
            + (state.signature?.bytes ?? [])
        return Int64(Checksum.of(bytes))
    }
}
