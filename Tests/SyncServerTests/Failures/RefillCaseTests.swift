@testable import SyncCore
import Testing

@testable import SyncServer

/// Members who bring back to a wiped server what they should not.
@Suite struct RefillCaseTests {
    private let track = Identifier(number: 42)
    private let accepted = Verdict.accepted

    /// A set of the phone's own, from so far in the future that no server accepts it.
    private func early(_ couple: Couple, replica: UInt128) async throws -> Seal.Sealed {
        let space = try await couple.phone.space()
        let keys = try await couple.phone.replica.read { try $0.identity.deviceKeys() }
        let seal = Seal(
            space: space,
            device: keys.device,
            replica: Identifier(number: replica),
            sequence: 1,
            previous: .zero,
            seen: try await couple.phone.seen()
        )
        let time = UInt64(couple.server.clock.wall.milliseconds + 86_400_000) << 16
        let stamp = Stamp(time: time, replica: seal.replica)
        let key = Key(TrackField.collection, .id(track), "name")
        let change = Change(key: key, cell: Cell(stamp: stamp, value: .text("forged")))
        let spaceKeys = try await couple.phone.replica.read { try $0.spaces.keys(of: space) }
        return try seal([change], space: spaceKeys, device: keys)
    }

    private func refill(
        _ sealed: Seal.Sealed,
        _ verdict: Verdict? = nil,
        _ receipt: [UInt8]? = nil
    ) -> [UInt8] {
        let item = PushItem(upload: sealed.upload, body: sealed.body).encoded
        return RefillItem(item: item, verdict: verdict, receipt: receipt).encoded
    }

    private func results(
        of items: [[UInt8]],
        from device: TestDevice,
        to server: TestServer
    ) async throws -> [PushResult] {
        var request = ReconcileRequest(space: try await device.space())
        request.items = items
        return try await device.client(server.transport).reconcile(request).results
    }

    @Test func `S11 what was forged or never accepted is not let in with any receipt`()
        async throws
    {
        let couple = try await Couple()
        let (boat, phone) = (couple.boat, couple.phone)
        try await boat.set("name", .text("honest"), of: track)
        try await couple.settle()
        // Judged and refused once: its receipt says so.
        let refused = try await early(couple, replica: 77)
        let space = try await phone.space()
        var push = SyncRequest.SpaceRequest(space: space, replica: .zero, cursor: .none, items: [])
        push.items = [PushItem(upload: refused.upload, body: refused.body).encoded]
        let told = try await phone.client().sync(SyncRequest(spaces: [push])).spaces[0]
        #expect(told.results.map(\.reason) == ["clock"])
        let entries = try #require(told.page).logEntries
        let good = try #require(entries.last { $0.body != nil }).receipt
        let bad = try #require(entries.last { $0.body == nil }).receipt

        let empty = try TestServer(clock: couple.server.clock)
        try await phone.sync(over: empty.transport)
        let never = try await early(couple, replica: 78)
        let forged = Seal.Sealed(
            upload: Array(never.upload.dropLast()) + [never.upload[never.upload.count - 1] ^ 1],
            body: never.body,
            hash: never.hash
        )
        let found = try await results(
            of: [
                refill(forged, accepted, good), refill(never), refill(never, accepted, good),
                refill(refused, accepted, bad), refill(refused, accepted, good),
                refill(refused, .held, bad),
                refill(refused, accepted, [UInt8](repeating: 0, count: 32)),
            ],
            from: phone,
            to: empty
        )
        #expect(found.map(\.verdict) == [nil] + [Verdict?](repeating: .refused, count: 6))
        #expect(found.dropFirst().allSatisfy { $0.reason == "clock" }, "\(found)")
        try await couple.devices.settle(with: empty)
        for device in couple.devices {
            #expect(try await device.value("name", of: track) == .text("honest"))
        }
    }

    @Test func `a lost set that was refused is brought by a member who has it without its body`()
        async throws
    {
        let couple = try await Couple()
        let refused = try await early(couple, replica: 77)
        let space = try await couple.phone.space()
        var push = SyncRequest.SpaceRequest(space: space, replica: .zero, cursor: .none, items: [])
        push.items = [PushItem(upload: refused.upload, body: refused.body).encoded]
        _ = try await couple.phone.client().sync(SyncRequest(spaces: [push]))
        try await couple.settle()
        let position = try await couple.head()
        try couple.server.damage("UPDATE log SET upload = x'80' WHERE position = \(position)")
        let fresh = try TestDevice("fresh", couple.server)
        try await fresh.join(try await couple.phone.link())
        #expect(try await fresh.sync().missing == 1)
        try await couple.boat.sync()
        #expect(try await fresh.sync().missing == 0)
        #expect(try await couple.server.findings() == [])
    }

    @Test func `a set of the greatest sequence that a member brings stops nothing`() async throws {
        let couple = try await Couple()
        let space = try await couple.phone.space()
        let keys = try await couple.phone.replica.read { try $0.identity.deviceKeys() }
        let seal = Seal(
            space: space,
            device: keys.device,
            replica: Identifier(number: 79),
            sequence: UInt64(Int64.max),
            previous: Digest(of: [1]),
            seen: try await couple.phone.seen()
        )
        let stamp = Stamp(
            time: UInt64(couple.server.clock.wall.milliseconds) << 16,
            replica: seal.replica
        )
        let key = Key(TrackField.collection, .id(track), "name")
        let change = Change(key: key, cell: Cell(stamp: stamp, value: .text("last")))
        let spaceKeys = try await couple.phone.replica.read { try $0.spaces.keys(of: space) }
        let sealed = try seal([change], space: spaceKeys, device: keys)
        let found = try await results(
            of: [refill(sealed)],
            from: couple.phone,
            to: couple.server
        )
        #expect(found.map(\.verdict) == [nil])
        try await couple.devices.settle(with: couple.server)
    }

    @Test func `S11 what was refused stays refused, with its receipt and without its body`()
        async throws
    {
        let couple = try await Couple()
        let phone = couple.phone
        let refused = try await early(couple, replica: 77)
        let space = try await phone.space()
        var push = SyncRequest.SpaceRequest(space: space, replica: .zero, cursor: .none, items: [])
        push.items = [PushItem(upload: refused.upload, body: refused.body).encoded]
        let told = try await phone.client().sync(SyncRequest(spaces: [push])).spaces[0]
        let receipt = try #require(try told.page?.logEntries.last).receipt
        let empty = try TestServer(clock: couple.server.clock)
        try await phone.sync(over: empty.transport)
        // By then it would be accepted, had nobody judged it before.
        couple.server.clock.advance(by: 10 * 86_400_000)
        let husk = RefillItem(
            item: PushItem(upload: refused.upload, body: nil).encoded,
            verdict: .refused,
            receipt: receipt,
            reason: "clock"
        )
        #expect(try RefillItem(decoding: husk.encoded[...]) == husk)
        let found = try await results(of: [husk.encoded], from: phone, to: empty)
        #expect(found.map(\.verdict) == [.refused])
        // Its author may hear it from there first.
        let page = try await empty.store.page(of: space, after: 0, for: nil, byteLimit: 1 << 20)
        #expect(try page.logEntries.map(\.reason).filter { !$0.isEmpty } == ["clock"])
        try await couple.devices.settle(with: empty)
        #expect(try await phone.value("name", of: track) == nil)
    }

    @Test func `S11 a member who leaves bodies out erases nothing`() async throws {
        let couple = try await Couple()
        let (boat, phone) = (couple.boat, couple.phone)
        try await boat.set("name", .text("honest"), of: track)
        try await couple.settle()
        let empty = try TestServer(clock: couple.server.clock)
        // Without the bodies of control sets, the server would not even let the phone in.
        try Database(path: phone.path).execute(
            "UPDATE sealed SET body = NULL WHERE own = 0 AND control IS NULL"
        )
        try await phone.sync(over: empty.transport)
        for _ in 0..<2 { try await boat.sync(over: empty.transport) }
        let fresh = try TestDevice("fresh", empty)
        try await fresh.join(try await boat.link(at: empty))
        try await [fresh, boat].settle(with: empty)
        #expect(try await fresh.value("name", of: track) == .text("honest"))
    }
}
