import ProgramKit
import SyncCore

/// A change set that is held at the server.
struct HeldSet: ListedSet {
    let space: Identifier
    let replica: Identifier
    let sequence: UInt64
    let reason: String
    let device: Identifier
    let deviceName: String
    let cellCount: Int
    /// The arrival at the server, or nil if it is unknown.
    let received: UnixTime?

    /// Converts a server's record; returns nil if it contains an invalid id.
    init?(_ record: HeldRecord, in space: Identifier) {
        guard let replica = Identifier(record.replica), let device = Identifier(record.device)
        else { return nil }
        self.space = space
        self.replica = replica
        self.device = device
        sequence = record.sequence
        reason = record.reason
        deviceName = record.deviceName.isEmpty ? device.short : record.deviceName
        cellCount = record.cells
        received = record.received == 0 ? nil : UnixTime(milliseconds: record.received)
    }

    static let columns: [Table.Column] = [
        .whole("set"), .whole("received (UTC)"), .left("device"), .right("fields"), .left("reason"),
    ]

    func cells(_ preferences: Preferences) -> [String] {
        [
            label, preferences.time(received), deviceName, String(cellCount),
            RejectedChangeSet.words(for: reason),
        ]
    }

    var json: JSON {
        .object([
            ("id", .text(label)),
            ("space", .text(space.description)),
            ("replica", .text(replica.description)),
            ("sequence", .integer(sequence)),
            ("reason", .text(reason)),
            ("device", .text(device.description)),
            ("deviceName", .text(deviceName)),
            ("fields", .integer(cellCount)),
            ("received", .time(received)),
        ])
    }
}

extension Library {
    /// Returns the held change sets of all spaces.
    func heldSets(_ client: ServerClient) async throws -> [HeldSet] {
        var sets: [HeldSet] = []
        for space in try await replica.read({ try $0.spaces.all() }) {
            let list = try await client.get("/v1/spaces/\(space.id)/held", as: HeldList.self)
            sets += list.held.compactMap { HeldSet($0, in: space.id) }
        }
        return sets
    }
}
