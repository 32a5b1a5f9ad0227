@testable import SyncCore
import Testing

@testable import SyncServer

/// Spaces that several people share.
@Suite struct ClubContractTests {
    private let now = UnixTime(milliseconds: 1_777_000_000_000)

    /// A store that hosts the own spaces of some authors.
    private func bed(_ kind: StoreKind, hosting authors: [Author]) async throws -> StoreBed {
        let bed = try StoreBed(kind)
        for author in authors { try await author.person.found(in: bed.store, at: now) }
        return bed
    }

    private func findings(in bed: StoreBed) async throws -> Findings {
        try await bed.store.readSnapshot { snapshot in
            try Inspection(of: snapshot, keys: Author.serverKeys).findings
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `only a user whose own space is here founds shared ones, and no more than 64`(
        kind: StoreKind
    ) async throws {
        let (ann, bob) = (Author(device: 1), Author(user: 12, device: 12))
        let bed = try await bed(kind, hosting: [ann])
        await #expect(throws: StoreError.notFound) {
            try await Club(foundedBy: bob, in: bed.store, at: now)
        }
        // Nor does a guest, until the server hosts their own space, which needs no token.
        var guest = bob
        var club = try await Club(foundedBy: ann, in: bed.store, at: now, seed: 100)
        try await club.admit(&guest, as: .viewer)
        await #expect(throws: StoreError.notFound) {
            try await Club(foundedBy: bob, in: bed.store, at: now)
        }
        try await club.set(nil, of: guest)
        let own = Entering(
            space: bob.space,
            sets: try bob.person.entering(),
            device: bob.device,
            name: nil,
            token: nil
        )
        // Not to a device that is in no space.
        await #expect(throws: StoreError.notFound) { try await bed.store.enter(own, at: now) }
        try await club.admit(&guest, as: .viewer)
        #expect(try await bed.store.enter(own, at: now).map(\.verdict) == [.accepted])
        _ = try await Club(foundedBy: bob, in: bed.store, at: now)
        for seed in 2...64 as ClosedRange<UInt64> {
            _ = try await Club(foundedBy: ann, in: bed.store, at: now, seed: seed)
        }
        await #expect(throws: StoreError.tooManySpaces) {
            try await Club(foundedBy: ann, in: bed.store, at: now, seed: 65)
        }
        try await club.set(nil, of: guest)
        #expect(try await bed.store.spaces(of: ann.device).count == 65)
        #expect(try await bed.store.space(ofCard: ann.device) == ann.space)
        #expect(try await findings(in: bed).isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func `a device that a space shuts out keeps its other spaces`(kind: StoreKind) async throws {
        let ann = Author(device: 1)
        var bob = Author(user: 12, device: 12)
        let (bed, own) = (try await bed(kind, hosting: [ann, bob]), bob.place)
        var club = try await Club(foundedBy: ann, in: bed.store, at: now)
        try await club.admit(&bob, as: .editor)
        #expect(
            try await bed.store.spaces(of: bob.device).map(\.role)
                == (own.space < club.space ? [.owner, .editor] : [.editor, .owner])
        )
        try await club.revoke(bob)
        #expect(try await findings(in: bed).isEmpty)
        await #expect(throws: StoreError.notFound) { try await bed.page(for: bob) }
        #expect(try await !bed.store.isRevoked(bob.device))
        bob.place = own
        #expect(try await bed.append([try bob.push()], by: bob)[0].verdict == .accepted)
        #expect(try await bed.store.spaces(of: bob.device).map(\.space) == [own.space])
    }

    @Test(arguments: StoreKind.allCases)
    func `a device of another space is a stranger`(kind: StoreKind) async throws {
        let ann = Author(device: 1)
        var (bob, second) = (Author(user: 12, device: 12), Author(device: 2))
        let bed = try await bed(kind, hosting: [ann, bob])
        var club = try await Club(foundedBy: ann, in: bed.store, at: now)
        // Neither Bob's device nor Ann's second one was let in.
        for author in [bob, second] {
            var author = author
            club.place(&author)
            let set = try author.push()
            let stranger = author
            await #expect(throws: StoreError.notFound) {
                try await bed.page(for: stranger)
            }
            await #expect(throws: StoreError.notFound) {
                try await bed.append([set], by: stranger)
            }
        }
        try await club.admit(&bob, as: .viewer)
        try await club.add(&second)
        for author in [bob, second] { #expect(try await bed.page(for: author).head > 0) }
    }

    @Test(arguments: StoreKind.allCases)
    func `the tables follow each change of members`(kind: StoreKind) async throws {
        let ann = Author(device: 1)
        var bob = Author(user: 12, device: 12)
        let bed = try await bed(kind, hosting: [ann, bob])
        var club = try await Club(foundedBy: ann, in: bed.store, at: now)
        for role in Role.allCases.dropLast() {
            try await club.admit(&bob, as: role)
            #expect(try await bed.store.spaces(of: bob.device).map(\.role).contains(role))
            #expect(try await findings(in: bed).isEmpty)
            try await club.set(nil, of: bob)
            #expect(try await bed.store.spaces(of: bob.device).map(\.role) == [.owner])
            #expect(try await findings(in: bed).isEmpty)
        }
    }

    @Test func `a revocation is kept beside the store if it is that of an own space`() async throws
    {
        let bed = try await RouteBed()
        let (store, now) = (bed.server.store, bed.server.clock.wall)
        var club = try await Club(foundedBy: bed.author, in: store, at: now)
        var member = bed.stranger
        try await club.admit(&member, as: .viewer)
        let item = try club.revocation(of: member)
        let space = SyncRequest.SpaceRequest(
            space: club.space,
            replica: item.upload.header.replica,
            cursor: .none,
            items: [item.item]
        )
        let request = HTTPRequest("POST", "/v1/sync", body: SyncRequest(spaces: [space]).encoded)
        let response = try await bed.respond(to: request, from: bed.author)
        let reply = try SyncReply(decoding: response.body)
        #expect(reply.spaces[0].results.map(\.verdict) == [.accepted])
        #expect(bed.server.revocations.withLock { $0.isEmpty })
    }
}
