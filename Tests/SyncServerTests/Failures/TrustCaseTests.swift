@testable import SyncCore
import Testing

@testable import SyncServer

/// Members and servers that lie.
@Suite struct TrustCaseTests {
    private let forged = Secret(bytes: [UInt8](repeating: 66, count: 32))

    /// A set under another person's or server's pen: `keys` are those that the forger holds.
    private func set(
        _ key: Key,
        _ value: Value,
        as seal: Seal,
        _ space: SpaceKeys,
        _ device: DeviceKeys
    ) throws -> Seal.Sealed {
        let stamp = Stamp(time: 1_777_000_000_000 << 16, replica: seal.replica)
        let change = Change(key: key, cell: Cell(stamp: stamp, value: value))
        return try seal([change], space: space, device: device)
    }

    private func seal(
        _ space: Identifier,
        _ device: Identifier,
        replica: UInt128,
        _ seen: Seen
    ) -> Seal {
        Seal(
            space: space,
            device: device,
            replica: Identifier(number: replica),
            sequence: 1,
            previous: .zero,
            seen: seen
        )
    }

    private func push(_ sealed: Seal.Sealed, from device: TestDevice) async throws -> [PushResult] {
        let request = SyncRequest.SpaceRequest(
            space: try await device.space(),
            replica: .zero,
            cursor: .none,
            items: [PushItem(upload: sealed.upload, body: sealed.body).encoded]
        )
        return try await device.client().sync(SyncRequest(spaces: [request])).spaces[0].results
    }

    @Test func `A5 a member cannot write under another device's name`() async throws {
        let couple = try await Couple()
        let (boat, phone) = (couple.boat, couple.phone)
        let head = try await couple.head()
        let space = try await boat.space()
        let victim = try await boat.replica.read { try $0.identity.current() }
        let spaceKeys = try await phone.replica.read { try $0.spaces.keys(of: space) }
        let own = try await phone.replica.read { try $0.identity.deviceKeys() }
        let guessed = DeviceKeys(device: victim.device, secrets: own.secrets)
        let key = Key("track", .id(couple.track), "name")
        // In the victim's name under the forger's key; in one's own name under a wrong key.
        let seen = try await phone.seen()
        let first = seal(space, victim.device, replica: 5, seen)
        let second = seal(space, own.device, replica: 6, seen)
        let wrong = DeviceKeys(device: own.device, secrets: [1: forged])
        for (seal, keys) in [(first, guessed), (first, own), (second, wrong)] {
            let results = try await push(set(key, "forged", as: seal, spaceKeys, keys), from: phone)
            guard case .failed(let problem, _)? = results.first else {
                Issue.record("\(results)")
                continue
            }
            #expect([.badEncoding, .badMAC].contains(ProblemType(rawValue: problem)))
        }
        #expect(try await couple.head() == head)
        try await boat.set("name", "honest", of: couple.track)
        try await couple.settle()
        #expect(try await phone.value("name", of: couple.track) == "honest")
    }

    @Test func `A6 a value that the server alters is missing for every member until it is right`()
        async throws
    {
        let couple = try await Couple()
        let boat = couple.boat
        try await boat.set("name", "the truth", of: couple.track)
        try await boat.sync()
        try await boat.set("notes", "more of it", of: couple.track)
        try await boat.sync()
        let fresh = try TestDevice("fresh", couple.server)
        try await fresh.join(try await boat.link())
        let router = couple.server.router
        let lying = RouterTransport(
            router: router,
            after: { _, response in
                let body = response.body.replacing("the truth".utf8, with: "a swindle".utf8)
                return HTTPResponse(response.status, headers: response.headers, body: body).digested
            }
        )
        for _ in 0..<2 {
            let result = try await fresh.sync(over: lying)
            #expect(result.missing == 1 && result.end == .complete)
        }
        #expect(try await fresh.value("name", of: couple.track) == nil)
        #expect(try await fresh.value("notes", of: couple.track) == "more of it")
        let faults = try await fresh.replica.read { try $0.maintenance.verify() }.faults
        #expect(faults.count == 1 && faults[0].contains("its body is missing"))
        #expect(try await boat.value("name", of: couple.track) == "the truth")
        // All else goes on.
        try await fresh.set("sport", "rowing", of: couple.track)
        for device in [fresh, boat] { try await device.sync() }
        #expect(try await boat.value("sport", of: couple.track) == "rowing")
        // The server is honest again.
        try await [fresh, boat, couple.phone].settle(with: couple.server)
        #expect(try await fresh.value("name", of: couple.track) == "the truth")
    }

    @Test func `A6 a set that the server writes in a member's name is void everywhere`()
        async throws
    {
        let couple = try await Couple()
        let space = try await couple.boat.space()
        let author = try await couple.boat.replica.read { try $0.identity.current() }.device
        let guessed = SpaceKeys(space: space, secrets: [1: forged])
        let key = Key("track", .id(couple.track), "name")
        let sealed = try set(
            key,
            "invented",
            as: seal(space, author, replica: 7, try await couple.boat.seen()),
            guessed,
            Author.serverKeys.deviceKeys(of: author, epoch: 1)
        )
        let before = try await couple.server.copied(newEpoch: true)
        try await couple.server.insert(sealed, by: author, in: space)
        try await couple.boat.set("notes", "honest", of: couple.track)
        try await couple.settle(unopened: 1)
        for device in couple.devices {
            #expect(try await device.value("name", of: couple.track) == nil)
            #expect(try await device.value("notes", of: couple.track) == "honest")
            let concerns = try await device.replica.read { try $0.rejected.all() }
            #expect(concerns.map(\.state) == [.void(.badMAC)])
            let breaches = try await device.replica.read { try $0.breaches.open() }
            #expect(breaches.map(\.kind) == [.voidSet])
            #expect(breaches.first?.detail.hasSuffix("of device \(author)") == true)
            let spaces = try await device.replica.read { try $0.spaces.all() }
            #expect(spaces.map(\.isComplete) == [true])
        }
        // A false fingerprint is still noticed, and an acknowledged breach is no fault any more.
        let boat = couple.boat
        let lying = LyingTransport(router: couple.server.router) { reply in
            guard var page = reply.page, page.fingerprint != nil else { return }
            page.fingerprint = Fingerprint()
            reply.page = page
        }
        #expect(try await boat.sync(over: lying).mismatches == 1)
        try await couple.settle(unopened: 1)
        try await boat.replica.write { try $0.breaches.acknowledge() }
        #expect(try await boat.replica.read { try $0.maintenance.verify() }.faults.isEmpty)
        // Nobody brings it to a server that does not have it.
        for device in couple.devices + couple.devices {
            #expect(try await device.sync(over: before.transport).problems.isEmpty)
            #expect(try await device.replica.read { try $0.rejected.all() }.isEmpty)
            #expect(try await device.value("notes", of: couple.track) == "honest")
        }
        let page = try await before.store.page(of: space, after: 0, for: nil, byteLimit: .max)
        #expect(try page.logEntries.allSatisfy { $0.body != sealed.body })
    }

    @Test func `A7 a set that the server keeps back leaves a gap that verifying finds`()
        async throws
    {
        let couple = try await Couple()
        let boat = couple.boat
        for field in ["name", "notes", "sport"] as [Text] {
            try await boat.set(field, "written", of: couple.track)
            try await boat.sync()
        }
        let dropped = try await couple.head() - 1
        let fresh = try TestDevice("fresh", couple.server)
        try await fresh.join(try await boat.link())
        let space = try await boat.space()
        let lying = LyingTransport(router: couple.server.router) { reply in
            guard let page = reply.page, !page.entries.isEmpty else { return }
            reply.page = try page.without(dropped, in: space)
        }
        #expect(try await fresh.sync(over: lying).pulled > 0)
        #expect(try await fresh.value("notes", of: couple.track) == nil)
        #expect(try await fresh.value("sport", of: couple.track) == "written")
        let faults = try await fresh.replica.read { try $0.maintenance.verify() }.faults
        #expect(faults.count == 2 && faults[0].contains("its predecessor"), "\(faults)")
        // The set after it says what its author was shown.
        let breaches = try await fresh.replica.read { try $0.breaches.all() }
        #expect(breaches.map(\.kind) == [.twoHistories])
    }

    @Test func `A16 a device key and a key epoch that the server invents are followed by nobody`()
        async throws
    {
        let couple = try await Couple()
        let (boat, space) = (couple.boat, try await couple.boat.space())
        let device = try await boat.replica.read { try $0.identity.current() }.device
        let seen = try await boat.seen()
        // A set of the boat's under a key epoch that the server made up.
        let keys = SpaceKeys(space: space, secrets: [2: forged])
        let sealed = try set(
            Key("track", .id(couple.track), "name"),
            .bytes(forged.bytes),
            as: seal(space, device, replica: 70, seen),
            keys,
            Author.serverKeys.deviceKeys(of: device, epoch: 1)
        )
        try await couple.server.insert(sealed, by: device, in: space)
        // Control sets that begin this epoch, and let a device in, under a key that the server made
        // up: one in the boat's name, one in that of the device that it lets in.
        let chain = try await boat.replica.read { try $0.controls.chain(of: space) }
        for (number, author) in [device, inventor.publicKeys.device].enumerated() {
            let seal = seal(space, author, replica: UInt128(71 + number), seen)
            let sealed = try invention(after: chain, as: seal, vouchedBy: device)
            try await couple.server.insertControl(sealed, in: space)
        }
        try await couple.phone.set("notes", "honest", of: couple.track)
        // One that nobody can open, and two control sets that no server may accept.
        try await couple.settle(unopened: 3)
        for other in couple.devices {
            let breaches = try await other.replica.read { try $0.breaches.all() }.map(\.kind)
            #expect(breaches == [.brokenControl, .brokenControl])
            #expect(try await other.value("name", of: couple.track) == nil)
            #expect(try await other.value("notes", of: couple.track) == "honest")
            let concerns = try await other.replica.read { try $0.rejected.all() }.map(\.state)
            #expect(concerns.contains(.pending(.unknownKeyEpoch(2))), "\(concerns)")
            #expect(concerns.count == 3, "\(concerns)")
            let after = try await other.replica.read { try $0.controls.chain(of: space) }
            #expect(after.cards == chain.cards && after.hashes == chain.hashes)
            let secrets = try await other.replica.read { try $0.spaces.keys(of: space) }.secrets
            #expect(secrets.keys.sorted() == [1] && secrets[1] != forged)
        }
    }

    /// The keys of a device that the server invents.
    private var inventor: KeyPairs {
        KeyPairs(signing: SigningKey(seed: forged), agreement: AgreementKey(secret: forged))
    }

    /// A control set that lets the invented device in and begins a key epoch.
    ///
    /// That device signs it, and says that a device of the space vouches.
    private func invention(
        after chain: ControlChain,
        as seal: Seal,
        vouchedBy voucher: Identifier
    ) throws -> Seal.Sealed {
        var random = SplitMix64(seed: 16)
        let secret = EpochSecret(space: chain.space, epoch: 1, secret: forged)
        let user = try unwrapped(chain.user)
        let card = Card(inventor, of: user, as: .device)
        var plan = ControlPlan([
            .addCard(
                ControlAction.AddedCard(
                    card: card,
                    voucher: voucher,
                    vouch: inventor.vouch(for: card),
                    wraps: []
                )
            )
        ])
        let recipients = chain.recipients.merging([card.device: card.keys.agreement]) { $1 }
        plan.beginEpoch(after: secret, for: recipients, using: &random)
        let sealed = plan.seal(
            after: chain,
            as: seal,
            by: inventor,
            at: UnixTime(milliseconds: 1_777_000_000_000)
        )
        var header = try Upload(parsing: sealed.upload).header
        header.device = seal.device
        let upload = Envelope.sign(
            header.encoded,
            with: inventor.signing,
            of: header.device,
            for: .control
        )
        return Seal.Sealed(upload: upload, body: sealed.body, hash: Digest(of: upload))
    }

    @Test func `A12 bombs and giant counts are refused one by one, and the good set is taken`()
        async throws
    {
        let bed = try await RouteBed()
        var author = bed.author
        let good = try author.next()
        let item = PushItem(upload: good.upload, body: good.body).encoded
        let bomb = Zstandard.compress([UInt8](repeating: 0, count: 64 << 20))
        var hostile: [[UInt8]] = [
            // 2^60 elements, then 2^60 bytes, that are not there.
            [0x9b, 0x10, 0, 0, 0, 0, 0, 0, 0], [0x5b, 0x10, 0, 0, 0, 0, 0, 0, 0],
            [0xbb, 0x10, 0, 0, 0, 0, 0, 0, 0], [UInt8](repeating: 0x81, count: 100_000),
            [UInt8](repeating: 0xa1, count: 100_000), bomb,
            PushItem(upload: bomb, body: bomb, chunks: [bomb]).encoded,
        ]
        for (cells, decoded) in [(1, 1 << 20), (32_768, 1 << 20), (1, 64 << 20), (1 << 60, 100)] {
            var header = try Upload(parsing: good.upload).header
            (header.cellCount, header.decodedByteCount) = (cells, decoded)
            (header.bodyHash, header.bodyByteCount) = (Digest(of: bomb), bomb.count)
            (header.encoding, header.replica) = (.zstandard, Identifier(number: 12))
            let upload = try author.upload(header)
            hostile.append(PushItem(upload: upload, body: bomb).encoded)
        }
        let request = bed.sync(hostile + [item], from: bed.author)
        let response = try await bed.respond(to: request, from: bed.author)
        let results = try SyncReply(decoding: response.body).spaces[0].results
        #expect(results.count == hostile.count + 1)
        #expect(results.dropLast().allSatisfy { $0.verdict != .accepted && $0.verdict != .held })
        #expect(results.last?.verdict == .accepted)
    }
}

extension TestServer {
    /// Puts a set into the log as only the server itself can.
    fileprivate func insert(
        _ sealed: Seal.Sealed,
        by device: Identifier,
        in space: Identifier
    ) async throws {
        var budget = DecodingBudget()
        let item = PushItem(upload: sealed.upload, body: sealed.body).encoded
        let keys = Author.serverKeys
        let set = try PushedSet.check(item, in: space, by: device, keys, &budget).get()
        let author = try unwrapped(try await store.device(device))
        let results = try await store.append(
            [set],
            to: space,
            by: author,
            at: clock.wall
        )
        #expect(results.map(\.verdict) == [.accepted])
    }

    /// Puts a control set into the log as accepted, whatever the rules say of it.
    fileprivate func insertControl(_ sealed: Seal.Sealed, in space: Identifier) async throws {
        let upload = try Upload(parsing: sealed.upload)
        let question = LogQuestion(space: space, asker: nil)
        _ = try await store.decide(question, at: clock.wall) {
            $0.appendSet(upload, body: sealed.body, .accepted, "")
        }
    }
}

extension Author {
    /// A header under both MACs, whatever it says.
    fileprivate func upload(_ header: Header) throws -> [UInt8] {
        let inner = Envelope.seal(
            header.encoded,
            with: try unwrapped(spaceKeys.macKey(epoch: 1)),
            epoch: 1,
            for: .space
        )
        let key = try unwrapped(deviceKeys.macKey(epoch: 1))
        return Envelope.seal(inner, with: key, epoch: 1, for: .device)
    }
}

extension Page {
    /// The whole log as a server tells it that hides one entry.
    fileprivate func without(_ position: UInt64, in space: Identifier) throws -> Page {
        var page = self
        page.entries = []
        (page.chain, page.fingerprint) = (.zero, nil)
        for bytes in entries {
            var entry = try LogEntry(decoding: bytes[...])
            guard entry.position != position else { continue }
            entry.position = UInt64(page.entries.count + 1)
            page.entries.append(entry.encoded)
            let parsed = try ParsedEntry(entry.encoded)
            page.chain = LogChain.link(after: page.chain, parsed.name, parsed.verdict)
        }
        page.position = UInt64(page.entries.count)
        page.head = page.position
        return page
    }
}

extension [UInt8] {
    /// The bytes with one text in place of another of the same length.
    fileprivate func replacing(_ text: String, with other: String) -> [UInt8] {
        precondition(text.utf8.count == other.utf8.count, "nothing else moves")
        return replacing(Array(text.utf8), with: Array(other.utf8))
    }
}

extension Value: ExpressibleByStringLiteral {
    init(stringLiteral value: String) {
        self = .text(Text(value))
    }
}
