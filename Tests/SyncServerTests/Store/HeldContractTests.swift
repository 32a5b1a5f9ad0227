@testable import SyncCore
import Testing

@testable import SyncServer

/// What every store promises of sets that wait for an admin.
@Suite struct HeldContractTests {
    private let scene: StoreScene

    init() throws {
        scene = try StoreScene()
    }

    private func settle(
        _ place: Int,
        _ decision: HeldDecision,
        by device: Author? = nil,
        in store: any Store
    ) async throws {
        try await store.settle(
            scene.stored[place].upload.slot,
            in: scene.ann.space,
            decision,
            by: (device ?? scene.ann).row,
            at: scene.now
        )
    }

    /// The entries after the control sets.
    private func entries(_ store: any Store) async throws -> [LogEntry] {
        try await store.page(
            of: scene.ann.space,
            after: scene.ann.person.controls,
            for: scene.ann.device,
            byteLimit: .max
        ).logEntries
    }

    private func held(_ store: any Store) async throws -> [HeldSet] {
        try await store.held(in: scene.ann.space, for: scene.ann.device)
    }

    @Test(arguments: StoreKind.allCases)
    func `held sets are listed oldest first, until they are settled`(
        kind: StoreKind
    ) async throws {
        try await kind.machine().withStore { store in
            try await scene.fill(store)
            let expected = scene.stored[1...].map { set in
                HeldSet(
                    replica: set.upload.header.replica,
                    sequence: set.upload.header.sequence,
                    reason: "quota",
                    device: scene.ann.device,
                    deviceName: "device",
                    cellCount: 1,
                    received: scene.now
                )
            }
            #expect(try await held(store) == expected)
            try await settle(1, .adopt, in: store)
            #expect(try await held(store) == [expected[1]])
            try await settle(2, .refuse, in: store)
            #expect(try await held(store).isEmpty)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `an adopted set counts at a position of its own, with its body`(
        kind: StoreKind
    ) async throws {
        try await kind.machine().withStore { store in
            try await scene.fill(store)
            try await settle(1, .adopt, in: store)
            let (set, entries) = (scene.stored[1], try await entries(store))
            let before = scene.ann.person.controls
            #expect(entries.map(\.position) == Array(before + 1...before + 4))
            #expect(entries.map { $0.body == nil } == [false, true, true, false])
            let adoption = LogEntry.Content.adoption(
                replica: set.upload.header.replica,
                sequence: set.upload.header.sequence,
                hash: set.upload.hash,
                admin: scene.ann.device
            )
            #expect(entries[3].content == adoption && entries[3].body == set.body)
            let key = MACKey(Author.serverKeys.receiptSecret.bytes)
            let judged = set.upload.name.judged(.adopted(admin: scene.ann.device))
            #expect(entries[3].receipt == key.tag(of: judged))
        }
    }

    @Test(
        arguments: ["upload = x'80'", "chain = x'00'", "verdict = 7"],
        [false, true]
    )
    func `a damaged adoption or its held set stops nothing, and is repaired`(
        damage: String,
        isHeldSet: Bool
    ) async throws {
        let folder = try TestFolder()
        let store = try SQLiteStore(
            path: folder.path + "/store.db",
            receipts: Author.serverKeys.receiptSecret,
            newEpoch: Identifier(number: 5)
        )
        try await scene.fill(store)
        try await settle(1, .adopt, in: store)
        let before = try await entries(store)
        // The held set is the second entry, its adoption the fourth one.
        let position = Int64(scene.ann.person.controls) + (isHeldSet ? 2 : 4)
        let isLost = isHeldSet && damage.hasPrefix("upload")
        try Database(path: folder.path + "/store.db").run(
            SQL(stringLiteral: "UPDATE log SET \(damage) WHERE position = \(position)")
        )
        let after = try await entries(store)
        #expect(isLost ? after.contains { $0.content == .lost } : after == before)
        let keys = Author.serverKeys
        let findings = try await store.readSnapshot { try Inspection(of: $0, keys: keys).findings }
        #expect(findings.words.isEmpty == !isLost, "\(findings.words)")
    }

    @Test
    func `what cannot be repaired on a read-only disk is sent as lost, and the rest as it is`()
        async throws
    {
        let folder = try TestFolder()
        let store = try SQLiteStore(
            path: folder.path + "/store.db",
            receipts: Author.serverKeys.receiptSecret,
            newEpoch: Identifier(number: 5)
        )
        try await scene.fill(store)
        let before = try await entries(store)
        let first = Int64(scene.ann.person.controls) + 1
        try Database(path: folder.path + "/store.db").run(
            "UPDATE log SET verdict = 2 WHERE position = \(first)"
        )
        try await store.setReadOnly(true)
        let during = try await entries(store)
        #expect(during[0].content == .lost && during.dropFirst() == before.dropFirst())
        try await store.setReadOnly(false)
        #expect(try await entries(store) == before)
    }

    @Test(arguments: StoreKind.allCases, HeldDecision.allCases)
    func `a decision stands: the same one is no news, another one finds nothing`(
        kind: StoreKind,
        decision: HeldDecision
    ) async throws {
        let other = decision == .adopt ? HeldDecision.refuse : .adopt
        try await kind.machine().withStore { store in
            try await scene.fill(store)
            for _ in 0..<3 { try await settle(1, decision, in: store) }
            await #expect(throws: StoreError.notFound) { try await settle(1, other, in: store) }
            #expect(try await entries(store).count == (decision == .adopt ? 4 : 3))
            // What was never held cannot be settled.
            await #expect(throws: StoreError.notFound) { try await settle(0, decision, in: store) }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `only an owner or an admin sees and settles held sets`(kind: StoreKind) async throws {
        let bed = try StoreBed(kind)
        try await scene.fill(bed.store)
        var club = try await Club(foundedBy: scene.ann, in: bed.store, at: bed.now)
        var owner = club.owner
        let sets = [try owner.push().held(), try owner.push().held()]
        _ = try await bed.append(sets, by: owner)
        var (bob, space) = (scene.bob, club.space)
        func settle() async throws {
            let name = sets[1].upload.slot
            try await bed.store.settle(name, in: space, .adopt, by: bob.row, at: bed.now)
        }
        for role in [Role?.none, .viewer, .contributor, .editor, .admin] {
            if role == .viewer {
                try await club.admit(&bob, as: .viewer)
            } else if let role {
                try await club.set(role, of: bob)
            }
            let error = role == nil ? StoreError.notFound : .forbidden
            guard role ?? .viewer < .admin else { break }
            await #expect(throws: error) { try await bed.store.held(in: space, for: bob.device) }
            await #expect(throws: error) { try await settle() }
        }
        #expect(try await bed.store.held(in: space, for: bob.device).count == 2)
        try await settle()
    }

    @Test(arguments: StoreKind.allCases)
    func `a held set without its body waits until its author brings that`(
        kind: StoreKind
    ) async throws {
        try await kind.machine().withStore { store in
            var author = scene.ann
            try await author.person.found(in: store, at: scene.now)
            let before = author.person.controls
            let set = try author.push().held()
            func refill(withBody: Bool) async throws -> [PushResult] {
                let refilled = set.refilled(
                    as: .verdict(.held),
                    withBody: withBody,
                    reason: "quota"
                )
                return try await store.refill(
                    [refilled],
                    to: author.space,
                    by: author.row,
                    at: scene.now
                )
            }
            func adopt() async throws {
                try await store.settle(
                    set.upload.slot,
                    in: author.space,
                    .adopt,
                    by: author.row,
                    at: scene.now
                )
            }
            let held = [PushResult.judged(position: before + 1, .held, reason: "quota")]
            #expect(try await refill(withBody: false) == held)
            await #expect(throws: StoreError.withoutBody) { try await adopt() }
            #expect(try await refill(withBody: true) == held)
            try await adopt()
            let last = try #require(
                try await store.page(of: author.space, after: before + 1, for: nil, byteLimit: .max)
                    .logEntries.last
            )
            #expect(last.position == before + 2 && last.body == set.body)
        }
    }
}

extension SQLiteStore {
    /// Has every write fail, as on a disk that became read-only.
    fileprivate func setReadOnly(_ isReadOnly: Bool) throws {
        try database.execute("PRAGMA query_only = \(isReadOnly ? 1 : 0)")
    }
}
