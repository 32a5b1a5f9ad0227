@testable import SyncCore
import Testing

@testable import SyncServer

/// What becomes of a shared space on a device that is not in it any more, over a whole server.
@Suite struct DepartureTests {
    private let server: TestServer
    private let ann: TestDevice
    private let bob: TestDevice
    private let club: Identifier

    /// Ann owns a club, and Bob is in it as its editor.
    init() async throws {
        (server, ann, bob, club) = try await TestServer.withClub(letting: .editor)
    }

    private func removeBob() async throws {
        let user = try await bob.user()
        try await ann.replica.write {
            try $0.controlSealer.remove(user, from: club, at: ann.moment)
        }
        try await ann.sync()
    }

    private func write(
        _ value: Value,
        to field: Text,
        of track: Identifier,
        by device: TestDevice
    ) async throws {
        try await device.replica.write {
            let edit = Edit(Key(TrackField.collection, .id(track), field), value)
            try $0.rows.write([edit], in: club, at: device.moment)
        }
    }

    /// The tables that have rows of a space with this number.
    private func tables(of device: TestDevice, naming number: Int64) async throws -> [String] {
        try await device.replica.read { parts in
            let database = parts.context.database
            let names = try database.all(
                """
                SELECT m.name FROM sqlite_master m JOIN pragma_table_info(m.name) c
                WHERE m.type = 'table' AND c.name = 'space' ORDER BY m.name
                """
            ) { $0.text(0) }
            return try names.filter { name in
                try database.first(
                    SQL(stringLiteral: "SELECT 1 FROM \(name) WHERE space = \(number) LIMIT 1")
                ) { _ in true } == true
            }
        }
    }

    @Test func `the space goes from every table of the device`() async throws {
        let track = try await bob.begin(1, samples: 5000, in: club)
        try await bob.replica.write { try $0.recordings.stop(track, at: bob.moment) }
        try await ann.begin(2, samples: 100, in: club).stop(by: ann)
        for device in [bob, ann, bob] { try await device.sync() }
        let number = try await bob.replica.read { try $0.spaces.number(ofSpace: club) }
        #expect(try await tables(of: bob, naming: number).contains("track"))
        try await removeBob()
        let told = try await bob.sync()
        #expect(told.end == .complete && told.problems.isEmpty)
        #expect(try await tables(of: bob, naming: number) == [])
        let left = try await bob.replica.read { parts in
            try ["chunk_slice", "unsealed", "history"].filter { table in
                try parts.context.database.first(
                    SQL(stringLiteral: "SELECT 1 FROM \(table) LIMIT 1")
                ) { _ in true } == true
            }
        }
        #expect(left == [])
        #expect(try await bob.replica.read { try $0.sharedSpaces.all() }.isEmpty)
        let event = try await bob.replica.read { try $0.events.latest() }.first
        #expect(event?.kind == .ended)
        #expect(event?.detail == "'club' (\(club.description.prefix(8)))")
        #expect(try await ann.replica.read { try $0.tracks.all(in: club) }.count == 2)
    }

    @Test func `what no server has accepted is in the own space, on all devices`() async throws {
        let sent = try await bob.begin(1, samples: 50, in: club)
        try await sent.stop(by: bob)
        try await bob.sync()
        let tablet = try TestDevice("tablet", server)
        try await tablet.join(try await bob.link())
        let offline = try await bob.begin(2, samples: 5000, in: club)
        try await offline.stop(by: bob)
        try await bob.replica.write { _ = try $0.sealer.seal(at: bob.moment) }
        let place = Key("place", .id(Identifier(number: 7)), "name")
        try await bob.replica.write {
            try $0.rows.write([Edit(place, .text("Buoy"))], in: club, at: bob.moment)
        }
        try await removeBob()
        #expect(try await bob.sync().end == .complete)
        let own = try await bob.space()
        let event = try await bob.replica.read { try $0.events.latest() }.first
        #expect(event?.detail.hasSuffix("; kept in your own space: 1 place, 1 track") == true)
        try await tablet.sync()
        for device in [bob, tablet] {
            #expect(try await device.replica.read { try $0.tracks.all(in: own) }.count == 1)
            let samples = try await device.replica.read {
                try $0.tracks.samples(of: offline.track, in: own)
            }
            #expect(samples == Samples(bob.samples(2, 5000)))
            let name = try await device.replica.read {
                try $0.rows.cells(place.collection, place.row, in: own)[place.field]
            }
            #expect(name?.value.text == "Buoy")
        }
        let faults = try await bob.replica.read { try $0.maintenance.verify().faults }
        #expect(faults.isEmpty, "\(faults)")
    }

    @Test func `an edit of another's track brings the track, and one in the trash stays away`()
        async throws
    {
        let kept = try await ann.begin(1, samples: 300, in: club)
        let trashed = try await ann.begin(2, samples: 30, in: club)
        for track in [kept, trashed] { try await track.stop(by: ann) }
        for device in [ann, bob] { try await device.sync() }
        try await write(.text("Race"), to: TrackField.name, of: kept.track, by: bob)
        try await write(.bool(true), to: FieldSchema.deleted.name, of: trashed.track, by: bob)
        try await removeBob()
        try await bob.sync()
        let own = try await bob.space()
        let tracks = try await bob.replica.read {
            try $0.tracks.all(in: own) + $0.tracks.all(in: own, deleted: true)
        }
        #expect(tracks.map(\.id) == [kept.track] && tracks.map(\.name) == ["Race"])
        #expect(tracks.first?.sampleCount == 300)
    }

    @Test func `half of a split track comes with the track that it was made from`() async throws {
        let whole = try await bob.begin(1, samples: 400, in: club)
        try await whole.stop(by: bob)
        let halves = try await bob.replica.write { parts in
            let cut = SampleName(stream: whole.next.stream, index: 100)
            let split = try parts.editing.split(whole.track, before: [cut], in: club)
            try parts.actions.write(split.edits, as: "split", in: club, at: bob.moment)
            return split.tracks
        }
        try await bob.sync()
        try await write(.text("Leg 2"), to: TrackField.name, of: halves[1], by: bob)
        try await removeBob()
        try await bob.sync()
        let own = try await bob.space()
        let tracks = try await bob.replica.read { try $0.tracks.all(in: own) }
        #expect(tracks.map(\.sampleCount).sorted() == [101, 300])
        #expect(tracks.first { $0.id == halves[1] }?.name == "Leg 2")
    }

    @Test func `a recorder goes on in the own space`() async throws {
        let recording = try await bob.begin(1, samples: 50, in: club)
        try await bob.sync()
        try await removeBob()
        try await bob.sync()
        let all = bob.samples(1, 80)
        try await bob.replica.write {
            let rest = try $0.recordings.append(all[50...], to: recording, at: bob.moment)
            try $0.recordings.stop(rest, at: bob.moment)
        }
        let own = try await bob.space()
        let samples = try await bob.replica.read {
            try $0.tracks.samples(of: recording.track, in: own)
        }
        #expect(samples == Samples(all))
        // So does one that had no fix before.
        let late = try await bob.begin(2, samples: 1, in: club)
        #expect(late.space == own)
        #expect(try await bob.sync().problems.isEmpty)
    }

    @Test func `work that the server held is kept too`() async throws {
        let user = try await bob.user()
        try await ann.replica.write {
            try $0.controlSealer.setRole(of: user, to: .viewer, in: club, at: ann.moment)
        }
        let track = try await bob.begin(1, samples: 50, in: club)
        try await track.stop(by: bob)
        for device in [ann, bob] { try await device.sync() }
        #expect(try await bob.replica.read { try $0.rejected.all() }.count == 1)
        try await removeBob()
        try await bob.sync()
        let own = try await bob.space()
        let samples = try await bob.replica.read {
            try $0.tracks.samples(of: track.track, in: own)
        }
        #expect(samples == Samples(bob.samples(1, 50)))
        #expect(try await bob.replica.read { try $0.rejected.all() }.isEmpty)
    }

    @Test func `a row of the own space with the same id stays as it is`() async throws {
        let id = Identifier(number: 9)
        let own = try await bob.space()
        let key = Key(TrackField.collection, .id(id), TrackField.name)
        try await bob.replica.write {
            try $0.rows.write([Edit(key, .text("mine"))], in: own, at: bob.moment)
        }
        try await write(.text("theirs"), to: TrackField.name, of: id, by: bob)
        try await write(.text("sailing"), to: TrackField.sport, of: id, by: bob)
        try await removeBob()
        try await bob.sync()
        #expect(try await bob.value(TrackField.name, of: id) == .text("mine"))
        #expect(try await bob.value(TrackField.sport, of: id) == .text("sailing"))
    }

    @Test func `a chunk that another space uses stays, and one that it wants is asked for`()
        async throws
    {
        let file = ImportName(file: Digest(of: [1]), place: 0)
        let samples = bob.samples(1, 40)
        let imported = ImportedTrack(name: "Race", samples: samples)
        let own = try await bob.space()
        for (device, space) in [(ann, club), (bob, own)] {
            try await device.replica.write {
                _ = try $0.imports.insert(imported, as: file, into: space, now: device.moment)
            }
        }
        for device in [ann, bob] { try await device.sync() }
        try await removeBob()
        try await bob.sync()
        let shown = try await bob.replica.read { try $0.tracks.samples(of: file.track, in: own) }
        #expect(shown == Samples(samples))
        let faults = try await bob.replica.read { try $0.maintenance.verify().faults }
        #expect(faults.isEmpty, "\(faults)")
    }

    @Test func `nothing goes before the whole log is merged`() async throws {
        try await removeBob()
        let (replica, now) = (bob.replica, bob.moment)
        #expect(try await bob.enroller().learnEnd(of: club, with: replica, at: now))
        #expect(try await replica.read { try $0.departures.isDue() })
        try await replica.write {
            try $0.context.database.run("UPDATE space SET head = head + 1 WHERE kind = 'shared'")
        }
        #expect(try await replica.read { try !$0.departures.isDue() })
        // Asked again, the server shows once more that there is nothing beyond.
        #expect(try await bob.sync().problems.isEmpty)
        #expect(try await replica.read { try $0.sharedSpaces.all() }.isEmpty)
    }

    @Test func `who comes back writes under a new replica id, and nothing was restored`()
        async throws
    {
        let replica = try await bob.replica.read { try $0.identity.current() }.replica
        let id = Identifier(number: 9)
        try await write(.text("before"), to: TrackField.name, of: id, by: bob)
        try await bob.sync()
        try await removeBob()
        try await bob.sync()
        #expect(try await bob.replica.read { try $0.identity.current() }.replica != replica)
        try await bob.join(try await ann.invite(to: club))
        for device in [bob, ann, bob] { #expect(try await device.sync().problems.isEmpty) }
        try await write(.text("after"), to: TrackField.name, of: id, by: bob)
        for device in [bob, ann] { #expect(try await device.sync().problems.isEmpty) }
        let name = try await ann.replica.read {
            try $0.rows.cells(TrackField.collection, .id(id), in: club)[TrackField.name]
        }
        #expect(name?.value.text == "after")
        #expect(try await bob.replica.read { try $0.events.latest() }.map(\.kind) == [.ended])
    }
}

extension Recording {
    fileprivate func stop(by device: TestDevice) async throws {
        try await device.replica.write { try $0.recordings.stop(self, at: device.moment) }
    }
}
