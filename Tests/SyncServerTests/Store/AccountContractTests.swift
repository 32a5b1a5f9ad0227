@testable import SyncCore
import Testing

@testable import SyncServer

/// What every store promises of people, devices and the operator's invitations.
@Suite struct AccountContractTests {
    private func invitation(_ number: UInt8, _ bed: StoreBed) -> Invitation {
        Invitation(
            token: Digest(of: [number]),
            name: "Ann",
            expires: UnixTime(milliseconds: bed.now.milliseconds + 1000)
        )
    }

    private func entering(_ author: Author, by invitation: Invitation?) throws -> Entering {
        Entering(
            space: author.space,
            sets: Array(try author.person.entering().prefix(1)),
            device: author.device,
            name: "d\(author.person.number)",
            token: invitation?.token
        )
    }

    @Test(arguments: StoreKind.allCases)
    func `a token lets one device found its space, which may ask again`(kind: StoreKind)
        async throws
    {
        let bed = try StoreBed(kind)
        let (author, invitation) = (Author(device: 1), invitation(1, bed))
        try await bed.store.invite(invitation)
        let entering = try entering(author, by: invitation)
        for time in [bed.now, bed.now, invitation.expires] {
            let results = try await bed.store.enter(entering, at: time)
            #expect(results == [.judged(position: 1, .accepted, reason: "")])
        }
        let device = try #require(try await bed.store.device(author.device))
        #expect(device.user == author.user && device.name == "d1" && !device.isRevoked)
        #expect(try await bed.store.chain(of: author.space)?.count == 1)
        #expect(try await bed.store.spaces(of: author.device).map(\.space) == [author.space])
        #expect(try await bed.store.space(ofCard: author.device) == author.space)
        await #expect(throws: StoreError.badToken) {
            try await bed.store.enter(
                try self.entering(Author(user: 12, device: 12), by: invitation),
                at: bed.now
            )
        }
        #expect(try await bed.store.device(Author(device: 12).device) == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func `no token, an unknown and an expired one let nobody in`(kind: StoreKind) async throws {
        let bed = try StoreBed(kind)
        let (author, known) = (Author(device: 1), invitation(1, bed))
        try await bed.store.invite(known)
        await #expect(throws: StoreError.badToken) {
            try await bed.store.enter(try entering(author, by: invitation(2, bed)), at: bed.now)
        }
        await #expect(throws: StoreError.badToken) {
            try await bed.store.enter(try entering(author, by: known), at: known.expires)
        }
        await #expect(throws: StoreError.notFound) {
            try await bed.store.enter(try entering(author, by: nil), at: bed.now)
        }
        #expect(try await bed.store.device(author.device) == nil)
        #expect(try await bed.store.chain(of: author.space) == nil)
        let before = UnixTime(milliseconds: known.expires.milliseconds - 1)
        _ = try await bed.store.enter(try entering(author, by: known), at: before)
    }

    @Test(arguments: StoreKind.allCases)
    func `a receipt lets a space in that an earlier store had`(kind: StoreKind) async throws {
        let bed = try StoreBed(kind)
        let author = Author(device: 1)
        let receipts = MACKey(Author.serverKeys.receiptSecret.bytes)
        let known = try author.person.entering()[0]
        let name = known.upload.name
        var budget = DecodingBudget()
        let proven = try RefilledSet.check(
            RefillItem(
                item: author.person.sets[0].item.encoded,
                verdict: .accepted,
                receipt: receipts.tag(of: name.judged(.accepted))
            ).encoded,
            in: author.space,
            by: Author.serverKeys,
            receipts,
            covered: [],
            &budget
        ).get()
        let entering = Entering(
            space: author.space,
            sets: [proven],
            device: author.device,
            name: nil,
            token: nil
        )
        #expect(try await bed.store.enter(entering, at: bed.now).map(\.verdict) == [.accepted])
    }

    @Test(arguments: StoreKind.allCases)
    func `I6 a device that entered by one token is a copy with another`(kind: StoreKind)
        async throws
    {
        let bed = try StoreBed(kind)
        let (author, invitations) = (Author(device: 1), [invitation(1, bed), invitation(2, bed)])
        for invitation in invitations { try await bed.store.invite(invitation) }
        _ = try await bed.store.enter(try entering(author, by: invitations[0]), at: bed.now)
        await #expect(throws: StoreError.deviceTaken) {
            try await bed.store.enter(try entering(author, by: invitations[1]), at: bed.now)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a device that was revoked once stays so, whatever chain comes`(kind: StoreKind)
        async throws
    {
        let bed = try StoreBed(kind)
        let author = Author(device: 1)
        for _ in 0..<2 { try await bed.store.replayRevocations([author.device]) }
        try await author.person.found(in: bed.store, at: bed.now)
        #expect(try await bed.store.device(author.device)?.isRevoked == true)
        #expect(try await bed.store.device(Author(device: 2).device)?.isRevoked == false)
    }

    /// The next control set of a person's space, by which its founder lets keys in as a device.
    private func admission(of keys: KeyPairs, by author: Author, _ bed: StoreBed) async throws
        -> PushedSet
    {
        let chain = try unwrapped(try await bed.store.chain(of: author.space))
        let secret = EpochSecret(
            space: author.space,
            epoch: 1,
            secret: try unwrapped(author.spaceKeys.secrets[1])
        )
        var random = SplitMix64(seed: 1)
        var plan = ControlPlan()
        plan.add(
            Card(keys, of: author.user, as: .device),
            to: chain,
            vouchedBy: author.keys,
            with: secret,
            using: &random
        )
        return try author.pushed(
            plan.seal(after: chain, as: author.seal, by: author.keys, at: bed.now)
        )
    }

    @Test(arguments: StoreKind.allCases)
    func `the keys of a person's device are let into no other person's space`(kind: StoreKind)
        async throws
    {
        let (ann, bob) = (Author(device: 1), Author(user: 12, device: 12))
        let bed = try await StoreBed(kind, with: ann)
        try await bob.person.found(in: bed.store, at: bed.now)
        // Also if Ann's device signed a card for Bob.
        let wrong = try await admission(of: ann.keys, by: bob, bed)
        let refused = PushResult.judged(position: 2, .refused, reason: "role")
        #expect(try await bed.append([wrong], by: bob) == [refused])
        #expect(try await bed.store.chain(of: bob.space)?.cards.count == 1)
        #expect(try await bed.store.device(ann.device)?.user == ann.user)
        #expect(try await bed.store.devices(of: bob.user).map(\.id) == [bob.device])
        var next = bob
        next.replica = Identifier(number: 77)
        let fresh = Author.keys(of: 13)
        let good = try await admission(of: fresh, by: next, bed)
        let accepted = PushResult.judged(position: 3, .accepted, reason: "")
        #expect(try await bed.append([good], by: bob) == [accepted])
        #expect(try await bed.store.device(fresh.publicKeys.device)?.user == bob.user)
    }

    @Test(arguments: StoreKind.allCases)
    func `a key epoch only rises`(kind: StoreKind) async throws {
        let author = Author(device: 1)
        let bed = try await StoreBed(kind, with: author)
        for (asked, epoch) in [(1, 2), (0, 2), (1, 2), (4, 5)] as [(UInt64, UInt64)] {
            let device = try await bed.store.raiseKeyEpoch(of: author.device, above: asked)
            #expect(device?.keyEpoch == epoch)
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
}
