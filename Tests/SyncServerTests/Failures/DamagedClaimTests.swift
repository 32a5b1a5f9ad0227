@testable import SyncCore
import Testing

@testable import SyncServer

/// A flipped bit in what a device keeps of logs that its server showed: it accuses no honest server,
/// and hides no dishonest one.
@Suite struct DamagedClaimTests {
    static let columns = ["replica", "epoch", "position", "chain", "since", "sum"]

    private let couple: Couple
    private let space: Identifier

    init() async throws {
        couple = try await Couple()
        space = try await couple.boat.space()
    }

    private func breaches(of device: TestDevice) async throws -> [Breach.Kind?] {
        try await device.replica.read { try $0.breaches.all() }.map(\.kind)
    }

    private func ownClaims(of device: TestDevice) async throws -> [LogEnding] {
        try await device.replica.read {
            try $0.lineage.database.all(
                "SELECT epoch, position, chain FROM log_claim WHERE replica = \(SeenClaim.ownNumber)",
                read: ClaimRecord.ending
            )
        }
    }

    private func flip(_ column: String, ofReplica condition: String, on device: TestDevice)
        async throws
    {
        // Of a time, a bit that makes it an early one.
        let bit = column == "since" ? 40 : 2
        try await device.flip([bit], of: column, in: "log_claim", where: "replica \(condition)")
    }

    @Test(arguments: columns)
    func `what the server names as earlier logs`(column: String) async throws {
        let restored = try await couple.server.copied(newEpoch: true)
        for _ in 0..<3 {
            try await couple.boat.set("name", "before the restore", of: couple.track)
            try await couple.boat.sync()
        }
        try await couple.phone.sync(over: restored.transport)
        try await flip(column, ofReplica: "= \(SeenClaim.serverNumber)", on: couple.phone)
        for _ in 0..<2 {
            try await couple.boat.sync(over: restored.transport)
            try await couple.phone.sync(over: restored.transport)
            couple.server.clock.advance(by: 2 * UnsignedHeads.patience)
        }
        #expect(try await breaches(of: couple.phone).isEmpty)
        try await couple.devices.settle(with: restored)
        let past = try await couple.phone.replica.read { [space] in
            try $0.lineage.past(of: $0.spaces.number(ofSpace: space))
        }
        #expect(past.map(\.position.epoch) == [await couple.server.store.epoch])
    }

    @Test(arguments: columns)
    func `what this device was shown before its server was wiped`(column: String) async throws {
        let empty = try TestServer(clock: couple.server.clock)
        // The server takes nothing, not even that this device accepts it.
        try await couple.boat.sync(over: DeafTransport(router: empty.router))
        let before = try await ownClaims(of: couple.boat)
        #expect(before.map(\.position.epoch) == [await couple.server.store.epoch])
        try await flip(column, ofReplica: "= \(SeenClaim.ownNumber)", on: couple.boat)
        try await couple.boat.sync(over: DeafTransport(router: empty.router))
        #expect(try await breaches(of: couple.boat).isEmpty)
        #expect(try await Set(ownClaims(of: couple.boat)).isSuperset(of: before))
        try await couple.boat.sync()
        #expect(try await breaches(of: couple.boat) == [.twoHistories])
    }

    @Test(arguments: columns)
    func `what another member was shown`(column: String) async throws {
        let clock = couple.server.clock
        let restored = try await couple.server.copied(newEpoch: true)
        try await couple.phone.sync(over: restored.transport)
        // The boat comes by way of another restore, which the phone never sees.
        let other = try await couple.server.copied(newEpoch: true)
        try await couple.boat.sync(over: other.transport)
        try await couple.boat.set("name", "elsewhere", of: couple.track)
        try await couple.boat.sync(over: other.transport)
        let head = try await other.head(of: space)
        try await restored.take(1, after: head - 1, from: other, in: space)
        try await couple.phone.sync(over: restored.transport)

        try await flip(column, ofReplica: "> 0", on: couple.phone)
        clock.advance(by: UnsignedHeads.patience / 2)
        try await couple.phone.sync(over: restored.transport)
        #expect(try await breaches(of: couple.phone).isEmpty)
        clock.advance(by: UnsignedHeads.patience)
        try await couple.phone.sync(over: restored.transport)
        #expect(try await breaches(of: couple.phone) == [.twoHistories])
    }
}
