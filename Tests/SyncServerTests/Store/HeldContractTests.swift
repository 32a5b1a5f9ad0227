@testable import SyncCore
import Testing

@testable import SyncServer

/// What every store promises of sets that wait for an admin.
@Suite struct HeldContractTests {
    private let scene: StoreScene

    init() throws {
        scene = try StoreScene()
    }

    private func decide(in store: any Store) async throws {
        let results = try await store.append(
            [scene.decision],
            to: scene.ann.space,
            by: scene.ann.row,
            at: scene.now
        )
        #expect(results.map(\.verdict) == [.accepted], "\(results)")
    }

    /// The entries after those of the founding.
    private func entries(_ store: any Store) async throws -> [LogEntry] {
        try await store.page(
            of: scene.ann.space,
            after: scene.ann.person.controls,
            for: scene.ann.device,
            byteLimit: .max
        ).logEntries
    }

    private func held(_ store: any Store, byteLimit: Int = .max) async throws -> [LogEntry] {
        let ann = scene.ann
        return try await store.held(in: ann.space, for: ann.device, byteLimit: byteLimit)
            .map { try LogEntry(decoding: $0[...]) }
    }

    @Test(arguments: StoreKind.allCases)
    func `held sets are listed with their bodies, oldest first, until somebody decides`(
        kind: StoreKind
    ) async throws {
        try await kind.machine().withStore { store in
            try await scene.fill(store)
            let sets = scene.stored[1...]
            let list = try await held(store)
            let contents = sets.map { LogEntry.Content.set(upload: $0.upload.bytes, .held) }
            #expect(list.map(\.content) == contents)
            #expect(list.map(\.body) == sets.map(\.body))
            #expect(list.allSatisfy { $0.reason == "quota" })
            #expect(try await held(store, byteLimit: 1) == [list[0]])
            try await decide(in: store)
            #expect(try await held(store).isEmpty)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `an adopted set stays where it is, and has its body from then on`(
        kind: StoreKind
    ) async throws {
        try await kind.machine().withStore { store in
            try await scene.fill(store)
            let before = try await entries(store)
            #expect(before.map { $0.body == nil } == [false, true, true])
            try await decide(in: store)
            var after = try await entries(store)
            #expect(after.count == 4 && after[1].body == scene.stored[1].body)
            after[1].body = nil
            #expect(Array(after.dropLast()) == before)
        }
    }

    @Test(arguments: ["upload = x'80'", "chain = x'00'", "verdict = 7"], [2, 4])
    func `a damaged adopted set or decision stops nothing, and is repaired`(
        damage: String,
        place: UInt64
    ) async throws {
        let folder = try TestFolder()
        let store = try SQLiteStore(
            path: folder.path + "/store.db",
            receipts: Author.serverKeys.receiptSecret,
            newEpoch: Identifier(number: 5)
        )
        try await scene.fill(store)
        try await decide(in: store)
        let before = try await entries(store)
        let position = Int64(scene.ann.person.controls + place)
        let isLost = damage.hasPrefix("upload")
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

    @Test(arguments: StoreKind.allCases, [true, false])
    func `a decision stands`(kind: StoreKind, isOther: Bool) async throws {
        try await kind.machine().withStore { store in
            try await scene.fill(store)
            try await decide(in: store)
            // The same set is known; another one has nothing to decide.
            try await decide(in: store)
            let held = scene.stored[1...].map { SetReference(of: $0.upload) }
            let again = try scene.ann.person.control(
                [isOther ? .decline([held[0]]) : .adopt([held[1]])],
                after: [scene.decision]
            )
            let results = try await store.append(
                [again],
                to: scene.ann.space,
                by: scene.ann.row,
                at: scene.now
            )
            #expect(results.map(\.verdict) == [.refused])
            #expect(results.map(\.reason) == [LogDecision.role])
            #expect(try await entries(store)[1].body != nil)
            #expect(try await entries(store)[2].body == nil)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `only an owner or an admin sees held sets and decides`(kind: StoreKind) async throws {
        let bed = try StoreBed(kind)
        try await scene.fill(bed.store)
        var club = try await Club(foundedBy: scene.ann, in: bed.store, at: bed.now)
        var owner = club.owner
        let set = try owner.push().held()
        _ = try await bed.append([set], by: owner)
        let decision = ControlPlan([.adopt([SetReference(of: set.upload)])])
        var (bob, space) = (scene.bob, club.space)
        func seen() async throws -> Int {
            try await bed.store.held(in: space, for: bob.device, byteLimit: .max).count
        }
        await #expect(throws: StoreError.notFound) { try await seen() }
        for role in [Role.viewer, .contributor, .editor, .admin] {
            if role == .viewer {
                try await club.admit(&bob, as: role)
            } else {
                try await club.set(role, of: bob)
            }
            guard role < .admin else { break }
            await #expect(throws: StoreError.forbidden) { try await seen() }
            await #expect(throws: Club.Declined.self) { try await club.perform(decision, by: bob) }
        }
        #expect(try await seen() == 1)
        try await club.perform(decision, by: bob)
        #expect(try await seen() == 0)
    }

    /// A club from which its editor was removed.
    private func removedEditor(_ bed: StoreBed) async throws -> (Club, Author) {
        var club = try await Club(foundedBy: scene.ann, in: bed.store, at: bed.now)
        var bob = scene.bob
        try await club.admit(&bob, as: .editor)
        try await club.set(nil, of: bob)
        return (club, bob)
    }

    @Test(arguments: StoreKind.allCases)
    func `nobody adopts what only another person may write`(kind: StoreKind) async throws {
        let bed = try StoreBed(kind)
        try await scene.fill(bed.store)
        var (club, bob) = try await removedEditor(bed)
        let name = Key(SpaceField.key.collection, SpaceField.key.row, SpaceField.key.field)
        let foreign = Key(CollectionSchema.device.name, .id(club.owner.device), DeviceField.name)
        for (key, isAllowed) in [(Author.key, true), (name, true), (foreign, false)] {
            let set = try bob.push([key: .text("Bob's")])
            #expect(try await bed.append([set], by: bob).map(\.verdict) == [.held])
            let plan = ControlPlan([.adopt([SetReference(of: set.upload)])])
            if isAllowed {
                try await club.perform(plan)
            } else {
                await #expect(throws: Club.Declined.self) { try await club.perform(plan) }
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `what is too early or no set is refused, also beyond a cut`(
        kind: StoreKind
    ) async throws {
        let bed = try StoreBed(kind)
        try await scene.fill(bed.store)
        var bob = try await removedEditor(bed).1
        let garbage = try bob.push()
        let unusable = PushedSet(
            upload: garbage.upload,
            body: garbage.body,
            content: .unusable(.refused, reason: "schema"),
            chunks: [:]
        )
        bob.time = UInt64(bed.now.milliseconds + 600_000) << 16
        let results = try await bed.append([unusable, try bob.push()], by: bob)
        #expect(results.map(\.reason) == ["schema", "clock"])
        #expect(results.map(\.verdict) == [.refused, .refused])
    }

    @Test(arguments: StoreKind.allCases)
    func `a control set that a receipt proves comes back, whatever it adopts`(
        kind: StoreKind
    ) async throws {
        let bed = try StoreBed(kind)
        try await scene.fill(bed.store)
        var (club, bob) = try await removedEditor(bed)
        let foreign = Key(CollectionSchema.device.name, .id(club.owner.device), DeviceField.name)
        let held = try bob.push([foreign: .text("Bob's")])
        _ = try await bed.append([held], by: bob)
        let plan = ControlPlan([.adopt([SetReference(of: held.upload)])])
        let (item, upload) = try club.sealed(plan)
        let body = item.body ?? []
        let proven = RefilledSet(
            upload: upload,
            body: body,
            content: .control(try ControlSet(upload, body: body)),
            chunks: [:],
            proven: .accepted,
            reason: ""
        )
        let results = try await bed.store.refill(
            [proven],
            to: club.space,
            by: club.owner.row,
            at: bed.now
        )
        #expect(results.map(\.verdict) == [.accepted], "\(results)")
    }

    @Test(arguments: StoreKind.allCases)
    func `a refused set that was adopted before it came moves nobody's clock`(
        kind: StoreKind
    ) async throws {
        var ann = scene.ann
        let bed = try await StoreBed(kind, with: ann)
        ann.time = UInt64(bed.now.milliseconds + 86_400_000) << 16
        var early = [try ann.push()]
        // Right after the first one, which would let it in.
        ann.time -= 999
        early.append(try ann.push())
        let adoption = try ann.person.control([.adopt([SetReference(of: early[0].upload)])])
        #expect(try await bed.append([adoption], by: ann).map(\.verdict) == [.accepted])
        let results = try await bed.append(early, by: ann)
        #expect(results.map(\.reason) == ["clock", "clock"], "\(results)")
    }

    @Test func `lost sets are asked for while the control chain is damaged`() async throws {
        let folder = try TestFolder()
        func open(_ epoch: UInt64) throws -> SQLiteStore {
            try SQLiteStore(
                path: folder.path + "/store.db",
                receipts: Author.serverKeys.receiptSecret,
                newEpoch: Identifier(number: UInt128(epoch))
            )
        }
        var store: SQLiteStore? = try open(5)
        try await scene.fill(try #require(store))
        try await decide(in: try #require(store))
        store = nil
        let database = try Database(path: folder.path + "/store.db")
        // The founding, and the body of the adopted set.
        try database.run("UPDATE log SET upload = x'80' WHERE position = 1")
        try database.run("UPDATE log SET body = NULL WHERE verdict = 1")
        let again = try open(5)
        _ = try await again.page(of: scene.ann.space, after: 0, for: nil, byteLimit: .max)
        #expect(try await again.gaps(in: scene.ann.space, for: scene.ann.device).contains(1))
    }

    @Test(arguments: StoreKind.allCases)
    func `a control set that decides on too many sets is refused`(
        kind: StoreKind
    ) async throws {
        try await kind.machine().withStore { store in
            try await scene.fill(store)
            let sets = (0...UInt64(ControlChain.decisionLimit)).map {
                SetReference(replica: .zero, sequence: $0 + 1, hash: .zero)
            }
            let plan = try? scene.ann.person.control([.adopt(sets)])
            let results = try await store.append(
                [plan].compactMap(\.self),
                to: scene.ann.space,
                by: scene.ann.row,
                at: scene.now
            )
            #expect(results.map(\.verdict) == [.refused])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `an adopted set without its body is asked for until its author brings that`(
        kind: StoreKind
    ) async throws {
        try await kind.machine().withStore { store in
            var author = scene.ann
            try await author.person.found(in: store, at: scene.now)
            let position = author.person.controls + 1
            let set = try author.push().held()
            func refill(withBody: Bool) async throws -> [PushResult] {
                let refilled = set.refilled(as: .held, withBody: withBody, reason: "quota")
                return try await store.refill(
                    [refilled],
                    to: author.space,
                    by: author.row,
                    at: scene.now
                )
            }
            func gaps() async throws -> [UInt64] {
                try await store.gaps(in: author.space, for: author.device)
            }
            func body() async throws -> [UInt8]? {
                try await store.page(of: author.space, after: 0, for: nil, byteLimit: .max)
                    .logEntries[Int(position) - 1].body
            }
            let held = [PushResult.judged(position: position, .held, reason: "quota")]
            #expect(try await refill(withBody: false) == held)
            #expect(try await gaps().isEmpty)
            let decision = try author.person.control([.adopt([SetReference(of: set.upload)])])
            _ = try await store.append(
                [decision],
                to: author.space,
                by: author.row,
                at: scene.now
            )
            #expect(try await gaps() == [position])
            #expect(try await body() == nil)
            #expect(try await refill(withBody: true) == held)
            #expect(try await gaps().isEmpty)
            #expect(try await body() == set.body)
        }
    }
}

extension SQLiteStore {
    /// Has every write fail, as on a disk that became read-only.
    fileprivate func setReadOnly(_ isReadOnly: Bool) throws {
        try database.execute("PRAGMA query_only = \(isReadOnly ? 1 : 0)")
    }
}
