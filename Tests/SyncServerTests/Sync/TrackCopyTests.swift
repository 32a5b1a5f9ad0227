@testable import SyncCore
import Testing

@testable import SyncServer

/// Copies of tracks in a shared space, over a whole server.
@Suite struct TrackCopyTests {
    private let server: TestServer
    private let ann: TestDevice
    private let bob: TestDevice
    private let own: Identifier
    private let club: Identifier

    /// Ann owns a club, and Bob is in it as its editor.
    init() async throws {
        (server, ann, bob, club) = try await TestServer.withClub(letting: .editor)
        own = try await ann.space()
    }

    /// Records 1,000 samples and two marks in Ann's own space, and trims the track to 900 samples and one
    /// mark.
    private func trimmedTrack() async throws -> Identifier {
        let track = try await ann.record(1, samples: 1000)
        let samples = ann.samples(1, 1000)
        let marks = [5, 500].map {
            Mark(
                "\($0)",
                at: samples[$0].time ?? ann.moment.wall,
                id: Identifier(number: UInt128($0))
            )
        }
        let stream = try await ann.replica.read {
            try unwrapped($0.editing.namedBatches(of: track, in: own).first).first.stream
        }
        let from = SampleName(stream: stream, index: 100)
        try await ann.replica.write {
            try $0.marks.write(marks, on: track, in: own, at: ann.moment)
            try $0.rows.write(
                [
                    Edit(track, TrackEdits.trimStart, .text(from.field)),
                    Edit(track, "tag/race", .bool(true)),
                    Edit(track, TrackField.laps, .list([])),
                    Edit(track, "later", .text("a field of a later version")),
                ],
                in: own,
                at: ann.moment
            )
        }
        return track
    }

    private func copy(_ track: Identifier, withFile: Bool = false) async throws -> ImportedRow {
        try await ann.replica.write {
            try $0.copies.copy(
                TrackLink(space: own, track: track),
                to: club,
                withFile: withFile,
                at: ann.moment
            )
        }
    }

    @Test func `another member gets what the track shows, and nothing else`() async throws {
        let track = try await trimmedTrack()
        let row = try await copy(track)
        #expect(row.isNew && row.track != track)
        for device in [ann, bob] { #expect(try await device.sync().problems.isEmpty) }
        let shown = try await bob.replica.read {
            try $0.tracks.find(row.track, in: club)
        }
        let samples = ann.samples(1, 1000)[100...]
        #expect(shown?.start?.time == samples.first?.time)
        let source = try await ann.replica.read { try $0.tracks.find(track, in: own) }
        #expect(shown?.distanceMetres == source?.distanceMetres)
        let got = try await bob.replica.read { try $0.tracks.samples(of: row.track, in: club) }
        #expect(got == Samples(samples))
        let marks = try await bob.replica.read { try $0.marks.all(of: row.track, in: club) }
        #expect(marks.map(\.text) == ["500"])
        let cells = try await bob.replica.read {
            try $0.rows.cells(TrackField.collection, .id(row.track), in: club)
        }
        #expect(
            Set(cells.keys) == [
                TrackField.name, TrackField.start, TrackField.status, TrackField.copiedFrom, "made",
                "tag/race",
            ]
        )
        let link = TrackLink(cells[TrackField.copiedFrom]?.value)
        #expect(link == TrackLink(space: own, track: track))
        // Nor does Bob's device have a chunk that the copy does not name.
        let chunks = try await bob.replica.read { try $0.maintenance.verify().chunks }
        let named = try await bob.replica.read { parts in
            try parts.rows.cells(TrackField.points, .id(row.track), in: club).count
        }
        #expect(named == 1 && chunks == named + 2, "the key wraps of two spaces are chunks, too")
    }

    @Test func `a second copy of the same samples is no other track`() async throws {
        let track = try await trimmedTrack()
        let first = try await copy(track)
        try await ann.set(TrackField.name, .text("Race"), of: track)
        let second = try await copy(track)
        #expect(second.track == first.track && !second.isNew && !second.isDeleted)
        try await ann.replica.write {
            let edit = Edit(first.track, FieldSchema.deleted.name, .bool(true))
            try $0.rows.write([edit], in: club, at: ann.moment)
        }
        #expect(try await copy(track).isDeleted)
        try await ann.set(TrackEdits.trimStart, .null, of: track)
        let whole = try await copy(track)
        #expect(whole.isNew && whole.track != first.track)
        for device in [ann, bob] { try await device.sync() }
        #expect(
            try await bob.replica.read { try $0.tracks.all(in: club) }.map(\.id) == [whole.track]
        )
    }

    @Test func `the imported file comes along only if asked for`() async throws {
        let bytes = Array("a file".utf8)
        var packer = OriginalPacker()
        packer.add(bytes)
        let packed = packer.finish(name: "a.gpx", digest: Digest(of: bytes))
        let file = try #require(packed)
        let name = ImportName(file: file.digest, place: 0)
        let imported = ImportedTrack(name: "Race", samples: ann.samples(1, 10))
        try await ann.replica.write {
            _ = try $0.imports.insert(
                imported,
                as: name,
                of: OriginalUse(file, holder: name.track),
                into: own,
                now: ann.moment
            )
        }
        let alone = try await copy(name.track)
        try await ann.sync()
        #expect(
            try await ann.replica.read { try $0.originals.find(of: alone.track, in: club) } == nil
        )
        try await ann.set(TrackEdits.trimStart, .text(name.first(1).field), of: name.track)
        let whole = try await copy(name.track, withFile: true)
        for device in [ann, bob] { #expect(try await device.sync().problems.isEmpty) }
        let read = try await bob.replica.read { parts in
            let original = try unwrapped(try parts.originals.find(of: whole.track, in: club))
            var read: [UInt8] = []
            try parts.originals.read(original, in: club) { read += $0 }
            return read
        }
        #expect(read == bytes)
        // A known copy gets the file that it lacks.
        try await ann.set(TrackEdits.trimStart, .null, of: name.track)
        #expect(try await isAccepted(name.track))
        #expect(try await !isAccepted(name.track, withFile: true))
        #expect(try await !copy(name.track, withFile: true).isNew)
        try await ann.sync()
        #expect(try await isAccepted(name.track, withFile: true))
    }

    private func isAccepted(_ track: Identifier, withFile: Bool = false) async throws -> Bool {
        try await ann.replica.read {
            let source = TrackLink(space: own, track: track)
            return try $0.copies.isAccepted(source, to: club, withFile: withFile)
        }
    }

    @Test func `a copy is accepted when the log has all of what the track shows now`()
        async throws
    {
        let track = try await trimmedTrack()
        let row = try await copy(track)
        #expect(try await !isAccepted(track))
        try await ann.sync()
        #expect(try await isAccepted(track))
        try await ann.replica.write {
            let mark = Mark(
                "late",
                at: ann.samples(1, 1000)[600].time ?? ann.moment.wall,
                id: .zero
            )
            try $0.marks.write([mark], on: track, in: own, at: ann.moment)
        }
        #expect(try await !isAccepted(track))
        // A copy that lacks something gets it.
        #expect(try await !copy(track).isNew)
        try await ann.sync()
        #expect(try await isAccepted(track))
        try await bob.sync()
        try await bob.replica.write {
            let edit = Edit(row.track, FieldSchema.deleted.name, .bool(true))
            try $0.rows.write([edit], in: club, at: bob.moment)
        }
        for device in [bob, ann] { try await device.sync() }
        #expect(try await !isAccepted(track))
        try await ann.set(TrackEdits.trimStart, .null, of: track)
        #expect(try await !isAccepted(track))
    }

    @Test func `what the server held is not accepted`() async throws {
        let user = try await bob.user()
        try await ann.replica.write {
            try $0.controlSealer.setRole(of: user, to: .viewer, in: club, at: ann.moment)
        }
        try await ann.sync()
        let track = try await bob.record(1, samples: 10)
        let home = try await bob.space()
        try await bob.replica.write {
            _ = try $0.copies.copy(TrackLink(space: home, track: track), to: club, at: bob.moment)
        }
        for _ in 0..<2 { try await bob.sync() }
        let isAccepted = try await bob.replica.read {
            try $0.copies.isAccepted(TrackLink(space: home, track: track), to: club)
        }
        #expect(!isAccepted)
    }

    @Test func `a track is not copied in part`() async throws {
        let track = try await bob.record(1, samples: 10)
        let row = try await bob.replica.write {
            try $0.copies.copy(
                TrackLink(space: $0.spaces.own(), track: track),
                to: club,
                at: bob.moment
            )
        }
        try await bob.sync()
        try await ann.sync()
        let piece = try await ann.replica.read { parts in
            let cells = try parts.rows.cells(TrackField.points, .id(row.track), in: club)
            return try unwrapped(cells.values.compactMap { ChunkReference($0)?.hash }.first)
        }
        try await ann.replica.write { try $0.chunks.forgetBytes(of: piece) }
        await #expect(throws: TrackCopyError.missingChunks(1)) {
            try await ann.replica.write {
                let source = TrackLink(space: club, track: row.track)
                _ = try $0.copies.copy(source, to: own, at: ann.moment)
            }
        }
        await #expect(throws: TrackCopyError.empty) { try await copy(Identifier(number: 5)) }
    }
}

extension ImportName {
    fileprivate func first(_ index: Int) -> SampleName {
        SampleName(stream: stream, index: index)
    }
}
