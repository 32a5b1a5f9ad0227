import SyncCore
import Testing

@testable import SyncServer

/// What every store promises of accounts, devices and invitations.
@Suite struct AccountContractTests {
    private func device(_ number: UInt128) -> NewDevice {
        NewDevice(id: Identifier(number: number), name: "d\(number)", publicKey: [1])
    }

    @Test(arguments: StoreKind.allCases)
    func `a token lets one device in, again only while its answer may be lost`(kind: StoreKind)
        async throws
    {
        let bed = try StoreBed(kind)
        let user = Identifier(number: 1)
        let invitation = bed.invitation(for: user, token: .zero, space: .zero, wrappedKey: [4, 2])
        try await bed.store.addUser(user, name: "Ann", invitation: invitation)
        let first = try await bed.store.enrol(device(7), token: invitation.token, at: bed.now)
        #expect(first.device.user == user && first.device.name == "d7")
        #expect(first.space == .zero && first.wrappedKey == [4, 2])
        let before = UnixTime(milliseconds: invitation.expires.milliseconds - 1)
        #expect(try await bed.store.enrol(device(7), token: invitation.token, at: before) == first)
        let thief = NewDevice(id: device(7).id, name: "d7", publicKey: [2])
        for (asker, time) in [
            (device(8), bed.now), (thief, bed.now), (device(7), invitation.expires),
        ] {
            await #expect(throws: StoreError.badToken) {
                try await bed.store.enrol(asker, token: invitation.token, at: time)
            }
        }
        #expect(try await bed.store.devices(of: user) == [first.device])
        try await bed.store.noteSigned(device(7).id)
        await #expect(throws: StoreError.badToken) {
            try await bed.store.enrol(device(7), token: invitation.token, at: bed.now)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `an unknown and an expired token let nobody in`(kind: StoreKind) async throws {
        let bed = try StoreBed(kind)
        let user = Identifier(number: 1)
        let invitation = bed.invitation(for: user, token: .zero)
        try await bed.store.addUser(user, name: "Ann", invitation: invitation)
        await #expect(throws: StoreError.badToken) {
            try await bed.store.enrol(device(7), token: .zero, at: bed.now)
        }
        await #expect(throws: StoreError.badToken) {
            try await bed.store.enrol(device(7), token: invitation.token, at: invitation.expires)
        }
        #expect(try await bed.store.device(device(7).id) == nil)
        let before = UnixTime(milliseconds: invitation.expires.milliseconds - 1)
        _ = try await bed.store.enrol(device(7), token: invitation.token, at: before)
    }

    @Test(arguments: StoreKind.allCases)
    func `I6 a device's id is enrolled once`(kind: StoreKind) async throws {
        let bed = try StoreBed(kind)
        let author = Author(device: 7)
        try await bed.enrol(author)
        let thief = Identifier(number: 2)
        let invitation = bed.invitation(for: thief, token: .zero)
        try await bed.store.addUser(thief, name: "Bob", invitation: invitation)
        await #expect(throws: StoreError.deviceTaken) {
            try await bed.store.enrol(device(7), token: invitation.token, at: bed.now)
        }
        #expect(try await bed.store.device(author.device)?.user == author.user)
    }

    @Test(arguments: StoreKind.allCases)
    func `a person revokes their own devices, for ever`(kind: StoreKind) async throws {
        let bed = try StoreBed(kind)
        let (author, stranger) = (Author(device: 1), Author(user: 2, device: 2))
        for device in [author, stranger] { try await bed.enrol(device) }
        await #expect(throws: StoreError.notFound) {
            try await bed.store.revoke(stranger.device, of: author.user)
        }
        await #expect(throws: StoreError.notFound) {
            try await bed.store.revoke(.zero, of: author.user)
        }
        for _ in 0..<2 { try await bed.store.revoke(author.device, of: author.user) }
        #expect(try await bed.store.device(author.device)?.isRevoked == true)
        #expect(try await bed.store.device(stranger.device)?.isRevoked == false)
        await #expect(throws: StoreError.deviceTaken) {
            try await bed.store.enrol(
                NewDevice(id: author.device, name: "again", publicKey: [1]),
                token: Digest(of: author.device.bytes),
                at: bed.now
            )
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a nonce is used once by a device`(kind: StoreKind) async throws {
        let bed = try StoreBed(kind)
        let (one, two) = (Identifier(number: 1), Identifier(number: 2))
        #expect(try await bed.store.useNonce("a", of: one, at: bed.now))
        #expect(try await !bed.store.useNonce("a", of: one, at: bed.now))
        #expect(try await bed.store.useNonce("a", of: two, at: bed.now))
        #expect(try await bed.store.useNonce("b", of: one, at: bed.now))
        // No signature is good for so long.
        let later = UnixTime(milliseconds: bed.now.milliseconds + 600_000)
        #expect(try await !bed.store.useNonce("a", of: one, at: later))
        let latest = UnixTime(milliseconds: later.milliseconds + 1)
        #expect(try await bed.store.useNonce("a", of: one, at: latest))
    }

    @Test(arguments: StoreKind.allCases)
    func `invitations are listed until used, expired or withdrawn`(kind: StoreKind) async throws {
        let author = Author(device: 1)
        let bed = try await StoreBed(kind, with: author)
        let (store, space, user) = (bed.store, author.space, author.user)
        let invitations = (10..<13).map {
            bed.invitation(
                for: user,
                token: Identifier(number: $0),
                space: space,
                wrappedKey: [UInt8($0)]
            )
        }
        for invitation in invitations { try await store.invite(invitation, by: user) }
        let all = try await store.invitations(to: space, for: user, at: bed.now)
        #expect(Set(all) == Set(invitations))
        _ = try await store.enrol(device(5), token: invitations[0].token, at: bed.now)
        try await store.withdraw(invitations[1].token, from: space, by: user)
        #expect(
            try await store.invitations(to: space, for: user, at: bed.now) == [invitations[2]]
        )
        let expired = invitations[2].expires
        #expect(try await store.invitations(to: space, for: user, at: expired).isEmpty)
        for used in invitations[0...1] {
            await #expect(throws: StoreError.notFound) {
                try await store.withdraw(used.token, from: space, by: user)
            }
        }
        await #expect(throws: StoreError.badToken) {
            try await store.enrol(device(6), token: invitations[1].token, at: bed.now)
        }
    }
}
