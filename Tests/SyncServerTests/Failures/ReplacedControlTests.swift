@testable import SyncCore
import Testing

@testable import SyncServer

/// Sets that name control sets whose places others have taken.
@Suite struct ReplacedControlTests {
    @Test func `a signature that names a control set which another one replaced is right`()
        async throws
    {
        let couple = try await Couple()
        let (boat, phone) = (couple.boat, couple.phone)
        let track = couple.track
        var random = SplitMix64(seed: 1)
        let code = RecoveryCode(using: &random)
        let image = try await TestDevice(copyOf: boat, withGuard: true)
        _ = try await boat.link()
        try await phone.sync()
        // The server refuses a set that names the link's control set, and keeps its signature.
        try await phone.set("notes", "refused", of: track)
        try await phone.replica.write { try $0.sealer.seal(at: phone.moment) }
        let bytes = try unwrapped(try await phone.replica.read { try $0.queue.ownItems() }.last)
        let item = try PushItem(decoding: bytes[...])
        let upload = try Upload(parsing: item.upload)
        let signature = try await phone.replica.read {
            let own = try $0.spaces.number(ofSpace: upload.header.space)
            return try $0.signedHeads.signature(over: upload, in: own)
        }
        #expect(signature != nil)
        let set = PushedSet(
            upload: upload,
            body: item.body ?? [],
            content: .unusable(.refused, reason: "schema"),
            chunks: [:],
            headSignature: signature
        )
        let author = try unwrapped(try await couple.server.store.device(upload.header.device))
        let (space, now) = (upload.header.space, couple.server.clock.wall)
        _ = try await couple.server.store.append([set], to: space, by: author, at: now)
        for device in couple.devices { try await device.sync() }
        let empty = try TestServer(clock: couple.server.clock)
        try await image.replica.write { try $0.controlSealer.add(code, at: image.moment) }
        try await image.sync(over: empty.transport)
        for device in [boat, phone, boat] { try await device.sync(over: empty.transport) }
        let fresh = try TestDevice("fresh", empty)
        try await fresh.join(try await boat.link(at: empty))
        try await [boat, phone, fresh].settle(with: empty)
    }

    @Test func `a control set whose name another set took closes its replica`() async throws {
        let couple = try await Couple()
        let (boat, phone) = (couple.boat, couple.phone)
        // Another copy of the boat's database, with the same replica.
        let copy = try await TestDevice(copyOf: boat, withGuard: false)
        let restored = try await couple.server.copied(newEpoch: true)
        var random = SplitMix64(seed: 2)
        let code = RecoveryCode(using: &random)
        try await boat.replica.write { try $0.controlSealer.add(code, at: boat.moment) }
        try await boat.sync()
        try await copy.set("name", "by the copy", of: couple.track)
        let item = try await copy.replica.write { parts in
            try parts.sealer.seal(at: copy.moment)
            return try unwrapped(try parts.queue.ownItems().last)
        }
        let header = try Upload(parsing: try PushItem(decoding: item[...]).upload).header
        var budget = DecodingBudget()
        let keys = Author.serverKeys
        let set = try PushedSet.check(item, in: header.space, by: header.device, keys, &budget)
            .get()
        let author = try unwrapped(try await restored.store.device(header.device))
        let now = restored.clock.wall
        let results = try await restored.store.append([set], to: header.space, by: author, at: now)
        #expect(results.map(\.verdict) == [.accepted])
        try await [boat, phone].settle(with: restored)
        #expect(try await phone.value("name", of: couple.track) == "by the copy")
    }
}
