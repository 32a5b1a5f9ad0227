import Foundation
@testable import SyncCore
import Testing

@testable import SyncServer

/// Devices that are wiped, stolen, or handed a link that is not theirs.
@Suite struct IdentityCaseTests {
    @Test func `I5 a device that was wiped joins again as a new one and has everything`()
        async throws
    {
        let couple = try await Couple()
        let (boat, phone) = (couple.boat, couple.phone)
        try await phone.set("name", .text("before it was wiped"), of: couple.track)
        let recorded = try await phone.record(1, samples: 50)
        try await couple.settle()
        let points = try await phone.samples(of: recorded)
        // Sealed and never sent: that is lost with the phone, and nothing else.
        try await phone.set("notes", .text("lost"), of: couple.track)
        let again = try TestDevice("phone", couple.server)
        try await again.join(try await boat.link())
        try await again.sync()
        let (old, new) = (
            try await phone.replica.read { try $0.identity.current() },
            try await again.replica.read { try $0.identity.current() }
        )
        #expect(old.device != new.device && old.replica != new.replica)
        #expect(try await again.value("name", of: couple.track) == .text("before it was wiped"))
        #expect(try await again.value("notes", of: couple.track) == nil)
        #expect(try await again.samples(of: recorded) == points)
        try await again.set("name", .text("after"), of: couple.track)
        for device in [again, boat, again] { try await device.sync() }
        #expect(try await boat.value("name", of: couple.track) == .text("after"))
        #expect(try await boat.fingerprint() == again.fingerprint())
        for device in [boat, again] {
            #expect(try await device.replica.read { try $0.maintenance.verify() }.faults == [])
        }
    }

    @Test func `I9 another person's link changes nothing on a device that joined`() async throws {
        let couple = try await Couple()
        let (boat, server) = (couple.boat, couple.server)
        try await boat.set("name", .text("ann's, not sent"), of: couple.track)
        let before = try await boat.replica.read { try $0.identity.current() }
        let bobs = try await server.invite()
        let authority = server.authority
        await #expect(throws: ReplicaError.alreadyJoined(authority: authority)) {
            try await boat.join(bobs)
        }
        #expect(try await boat.replica.read { try $0.identity.current() } == before)
        #expect(try await boat.value("name", of: couple.track) == .text("ann's, not sent"))
        #expect(try await boat.replica.read { try $0.maintenance.status() }.unsealed == 1)
        // The link is still Bob's, and what he has is his alone.
        let bob = try TestDevice("bob", server)
        try await bob.join(bobs)
        try await bob.set("name", .text("bob's"), of: couple.track)
        try await bob.sync()
        try await couple.settle()
        #expect(try await couple.phone.value("name", of: couple.track) == .text("ann's, not sent"))
        #expect(try await bob.value("name", of: couple.track) == .text("bob's"))
        #expect(try await bob.space() != boat.space())
    }

    @Test func `I10 what a leaked key signs after it was revoked is void, and its person is back`()
        async throws
    {
        let couple = try await Couple()
        let (boat, phone) = (couple.boat, couple.phone)
        try await phone.set("notes", .text("honest"), of: couple.track)
        try await couple.settle()
        let thief = try await TestDevice(copyOf: phone, withGuard: true)
        try await boat.revoke(phone)
        let head = try await couple.head()
        // Also with a clock from before it was revoked.
        for offset in [0, -3_600_000, -240_000] as [Int64] {
            thief.offset.withLock { $0 = offset }
            try await thief.set("name", .text(Text("forged \(offset)")), of: couple.track)
            guard case .refused(let refusal) = try await thief.sync().end else {
                Issue.record("the thief was not refused")
                return
            }
            #expect(refusal.type == .unauthorized)
        }
        let chunk = Author.chunk(1)
        let put = HTTPRequest(
            "PUT",
            "/v1/spaces/\(try await boat.space())/chunks/\(chunk.hash)",
            body: chunk.bytes
        )
        await #expect(throws: ServerProblem.self) { try await thief.client().send(put) }
        #expect(try await couple.head() == head)
        let again = try TestDevice("phone", couple.server)
        try await again.join(try await boat.link())
        for device in [again, boat] { try await device.sync() }
        for device in [again, boat] {
            #expect(try await device.value("notes", of: couple.track) == .text("honest"))
            #expect(try await device.value("name", of: couple.track) == nil)
        }
        #expect(try await again.fingerprint() == boat.fingerprint())
    }

    @Test(arguments: ["used", "expired", "taken back", "of a revoked device"])
    func `A10 a link that was used, has expired or was taken back lets nobody in`(
        fate: String
    ) async throws {
        let couple = try await Couple()
        let (boat, server) = (couple.boat, couple.server)
        let maker = fate == "of a revoked device" ? couple.phone : boat
        let link = try await maker.link()
        switch fate {
        case "used":
            let first = try TestDevice("first", server)
            try await first.join(link)
            try await first.sync()
        case "expired": server.clock.advance(by: 600_000)
        case "taken back": try await boat.withdraw(link)
        default:
            try await boat.sync()
            try await boat.revoke(maker)
        }
        let late = try TestDevice("late", server)
        try await late.set("name", .text("recorded before"), of: couple.track)
        await #expect(throws: ServerProblem.self) { try await late.join(link) }
        #expect(try await late.replica.read { try $0.identity.current() }.authority == nil)
        #expect(try await late.value("name", of: couple.track) == .text("recorded before"))
        // A good one takes it in with all it has.
        try await late.join(try await boat.link())
        try await late.sync()
        if maker === boat { try await couple.settle() } else { try await boat.sync() }
        #expect(try await boat.value("name", of: couple.track) == .text("recorded before"))
    }
}

extension TestDevice {
    /// Withdraws a link from the own space, by a control set of another replica of this device.
    fileprivate func withdraw(_ link: Link) async throws {
        let space = try await space()
        let (chain, identity) = try await replica.read {
            (try $0.controls.chain(of: space), try $0.identity.current())
        }
        let seal = Seal(
            space: space,
            device: identity.device,
            replica: Replica.randomIdentifier(),
            sequence: 1,
            previous: .zero,
            seen: try await seen()
        )
        let sealed = ControlPlan([.close([link.secret.keys.publicKeys.invitation])])
            .seal(after: chain, as: seal, by: identity.keys, at: moment.wall)
        var push = SyncRequest.SpaceRequest(space: space, replica: .zero, cursor: .none, items: [])
        push.items = [PushItem(upload: sealed.upload, body: sealed.body).encoded]
        let told = try await client().sync(SyncRequest(spaces: [push])).spaces[0]
        #expect(told.results.map(\.verdict) == [.accepted])
        try await sync()
    }
}
