@testable import SyncCore
import Testing

@testable import SyncServer

/// Who made a row of a shared space, and what contributors may write, over a whole server.
@Suite struct MakerTests {
    private let server: TestServer
    private let ann: TestDevice
    private let bob: TestDevice
    private let club: Identifier
    private let name = TrackField.name

    /// Ann owns a club, and Bob is in it as its contributor.
    init() async throws {
        (server, ann, bob, club) = try await TestServer.withClub(letting: .contributor)
    }

    private func record(_ number: Int, by device: TestDevice) async throws -> Identifier {
        let recording = try await device.begin(number, samples: 50, in: club)
        try await device.replica.write { try $0.recordings.stop(recording, at: device.moment) }
        return recording.track
    }

    private func rename(
        _ track: Identifier,
        _ text: String,
        by device: TestDevice
    ) async throws {
        try await device.replica.write {
            try $0.rows.write([Edit(track, name, .text(Text(text)))], in: club, at: device.moment)
        }
    }

    private func names(on device: TestDevice) async throws -> Set<String> {
        let tracks = try await device.replica.read { try $0.tracks.all(in: club) }
        return Set(tracks.compactMap(\.name))
    }

    private func reasons(on device: TestDevice) async throws -> [RejectedChangeSet.State] {
        try await device.replica.read { try $0.rejected.all() }.map(\.state)
    }

    @Test func `a contributor records, and edits what they recorded, on each device`()
        async throws
    {
        let track = try await record(1, by: bob)
        try await bob.sync()
        let tablet = try TestDevice("tablet", server)
        try await tablet.join(try await bob.link())
        for device in [bob, tablet, bob, tablet] { try await device.sync() }
        try await rename(track, "from the tablet", by: tablet)
        for device in [tablet, ann, bob] { #expect(try await device.sync().problems.isEmpty) }
        for device in [ann, bob] { #expect(try await names(on: device) == ["from the tablet"]) }
        #expect(try await reasons(on: tablet) == [])
    }

    @Test func `what a contributor writes into another's row is refused, and nothing else`()
        async throws
    {
        let theirs = try await record(1, by: ann)
        for device in [ann, bob] { try await device.sync() }
        let own = try await record(2, by: bob)
        try await rename(theirs, "mine now", by: bob)
        try await rename(own, "Bob's", by: bob)
        for device in [bob, ann] { try await device.sync() }
        #expect(try await names(on: ann) == ["track 1", "Bob's"])
        #expect(try await reasons(on: bob) == [.refused(reason: "role")])
        #expect(try await names(on: bob) == ["track 1", "Bob's"])
    }

    @Test func `a mark on another's track is part of that row`() async throws {
        let theirs = try await record(1, by: ann)
        for device in [ann, bob] { try await device.sync() }
        let mark = Mark("tacked", at: bob.moment.wall, id: Identifier(number: 5))
        try await bob.replica.write {
            try $0.marks.write([mark], on: theirs, in: club, at: bob.moment)
        }
        try await bob.sync()
        #expect(try await reasons(on: bob) == [.refused(reason: "role")])
    }

    @Test func `nobody writes who made a row but who did`() async throws {
        let theirs = try await record(1, by: bob)
        for device in [bob, ann] { try await device.sync() }
        let user = try await ann.user()
        let values: [Value] = [
            RowMaker(user: user, salt: [1]).value, .null, .text("me"),
            RowMaker(user: try await bob.user(), salt: [1]).value,
        ]
        for value in values {
            try await ann.replica.write {
                let edit = Edit(theirs, FieldSchema.made.name, value)
                try $0.rows.write([edit], in: club, at: ann.moment)
            }
            try await ann.sync()
        }
        #expect(
            try await reasons(on: ann)
                == values.map { _ in RejectedChangeSet.State.refused(reason: "role") }
        )
        try await rename(theirs, "still mine", by: bob)
        for device in [bob, ann] { try await device.sync() }
        #expect(try await names(on: ann) == ["still mine"])
    }

    @Test func `a row that nobody proves to have made is for editors alone`() async throws {
        try await rename(Identifier(number: 9), "of nobody", by: bob)
        try await bob.sync()
        #expect(try await reasons(on: bob) == [.refused(reason: "role")])
    }

    @Test func `no server can have members take what a role forbids`() async throws {
        let theirs = try await record(1, by: ann)
        for device in [ann, bob] { try await device.sync() }
        try await rename(theirs, "mine now", by: bob)
        let bytes = try await bob.replica.write {
            try $0.sealer.seal(at: bob.moment)
            return try $0.queue.ownItems().last
        }
        let item = try PushItem(decoding: try #require(bytes)[...])
        let upload = try Upload(parsing: item.upload)
        _ = try await server.store.decide(
            LogQuestion(space: club, asker: nil),
            at: server.clock.wall
        ) {
            $0.appendSet(upload, body: item.body, .accepted, "")
        }
        #expect(try await ann.sync().end == .complete)
        #expect(try await names(on: ann) == ["track 1"])
        #expect(try await reasons(on: ann) == [.void(.notAllowed)])
        let breaches = try await ann.replica.read { try $0.breaches.open() }
        #expect(breaches.map(\.kind) == [.voidSet])
        // All else goes on.
        try await rename(theirs, "Ann's", by: ann)
        #expect(try await ann.sync().problems.isEmpty)
        #expect(try await names(on: ann) == ["Ann's"])
    }

    @Test func `what a role allowed that a server lost is held there, and nobody is accused`()
        async throws
    {
        let theirs = try await record(1, by: ann)
        for device in [ann, bob] { try await device.sync() }
        let image = try await TestDevice(copyOf: ann, withGuard: true)
        let restored = try await server.copied(newEpoch: true)
        let user = try await bob.user()
        try await ann.replica.write {
            try $0.controlSealer.setRole(of: user, to: .editor, in: club, at: ann.moment)
        }
        for device in [ann, bob] { try await device.sync() }
        try await rename(theirs, "Bob's name", by: bob)
        for device in [bob, ann] { try await device.sync() }
        #expect(try await names(on: ann) == ["Bob's name"])
        let page = try await server.store.page(of: club, after: 0, for: nil, byteLimit: .max)
        let entry = try #require(try page.logEntries.last)
        guard case .set(let upload, .accepted) = entry.content else { throw CancellationError() }
        let item = PushItem(upload: upload, body: entry.body)
        let accepted = RefillItem(
            item: item.encoded,
            verdict: .accepted,
            receipt: entry.receipt
        )
        // Other control sets take the place of the rise.
        for _ in 0..<2 { _ = try await image.unsentInvitation(to: club, as: .viewer, uses: 1) }
        for _ in 0..<2 { try await image.sync(over: restored.transport) }
        var request = ReconcileRequest(space: club)
        request.items = [accepted.encoded]
        let told = try await image.client(restored.transport).reconcile(request).results
        #expect(told.map(\.verdict) == [.held] && told.map(\.reason) == ["role"])
        for device in [bob, ann, bob, ann, bob] { try await device.sync(over: restored.transport) }
        for device in [ann, bob] {
            #expect(try await device.replica.read { try $0.breaches.open() }.isEmpty)
            #expect(try await names(on: device).count == 1)
        }
        #expect(try await names(on: ann) == names(on: bob))
    }

    @Test func `an editor whose role falls keeps the rows that they made`() async throws {
        let user = try await bob.user()
        for (role, name) in [(Role.editor, "as editor"), (.contributor, "as contributor")] {
            try await ann.replica.write {
                try $0.controlSealer.setRole(of: user, to: role, in: club, at: ann.moment)
            }
            for device in [ann, bob] { try await device.sync() }
            let tracks = try await bob.replica.read { try $0.tracks.all(in: club) }
            var track = tracks.first?.id
            if track == nil { track = try await record(1, by: bob) }
            try await rename(try unwrapped(track), name, by: bob)
            for device in [bob, ann] { try await device.sync() }
            #expect(try await names(on: ann) == [name])
        }
    }

    @Test func `an imported file makes one row for each person, not for each device`()
        async throws
    {
        let tablet = try TestDevice("tablet", server)
        try await tablet.join(try await bob.link())
        for device in [bob, tablet, bob, tablet] { try await device.sync() }
        let imported = ImportedTrack(name: "Race", samples: ann.samples(1, 20))
        for device in [ann, bob, tablet] {
            try await device.replica.write {
                let name = try $0.imports.name(file: Digest(of: [1]), place: 0, in: club)
                _ = try $0.imports.insert(imported, as: name, into: club, now: device.moment)
            }
        }
        for device in [ann, bob, tablet, ann] { #expect(try await device.sync().problems.isEmpty) }
        #expect(try await ann.replica.read { try $0.tracks.all(in: club) }.count == 2)
        let track = try await tablet.replica.read {
            try $0.imports.name(file: Digest(of: [1]), place: 0, in: club).track
        }
        try await rename(track, "Bob's race", by: tablet)
        for device in [tablet, ann] { try await device.sync() }
        #expect(try await names(on: ann) == ["Race", "Bob's race"])
    }

    @Test func `a contributor splits their own track, and adds a place`() async throws {
        let track = try await bob.begin(1, samples: 50, in: club)
        try await bob.replica.write { parts in
            try parts.recordings.stop(track, at: bob.moment)
            let cut = SampleName(stream: track.next.stream, index: 20)
            let split = try parts.editing.split(track.track, before: [cut], in: club)
            try parts.actions.write(split.edits, as: "split", in: club, at: bob.moment)
            let place = try parts.rows.new("place", in: club)
            let edit = Edit(Key("place", .id(place.id), "name"), .text("Buoy"))
            try parts.actions.write(place.edits + [edit], as: "place", in: club, at: bob.moment)
        }
        for device in [bob, ann] { #expect(try await device.sync().problems.isEmpty) }
        #expect(try await ann.replica.read { try $0.tracks.all(in: club) }.count == 2)
        #expect(try await ann.replica.read { try $0.rows.live("place", in: club) }.count == 1)
        // Undoing the place leaves nothing of it to see.
        _ = try await bob.replica.write { try $0.actions.undo(in: club, at: bob.moment) }
        for device in [bob, ann] { #expect(try await device.sync().problems.isEmpty) }
        #expect(try await ann.replica.read { try $0.rows.live("place", in: club) }.isEmpty)
        #expect(try await reasons(on: bob) == [])
    }

    @Test func `a long recording carries its proof in each set`() async throws {
        var recording = try await bob.begin(1, samples: 0, in: club)
        let notes = (0..<140).map {
            Edit(
                recording.track,
                Text("tag/\($0)"),
                .text(Text(String(repeating: "x", count: 16_000)))
            )
        }
        try await bob.replica.write { [recording] in
            try $0.rows.write(notes, in: club, at: bob.moment)
            try $0.recordings.stop(recording, at: bob.moment)
        }
        recording = try await bob.begin(2, samples: 10, in: club)
        for device in [bob, ann] { #expect(try await device.sync().problems.isEmpty) }
        let tags = try await ann.replica.read { parts in
            try parts.tracks.all(in: club).reduce(0) {
                try $0
                    + parts.rows.cells(TrackField.collection, .id($1.id), in: club).keys
                    .filter { $0.string.hasPrefix("tag/") }.count
            }
        }
        #expect(tags == 140)
        #expect(try await reasons(on: bob) == [])
    }
}
