import Testing

import ProgramKit
@testable import SyncCLI
@testable import SyncCore

/// What writes to a track of a hundred samples, one a second from 09:30 UTC, are told as.
@Suite struct TrackWordsTests {
    private let folder: ScratchFolder

    init() throws {
        folder = try ScratchFolder()
    }

    private func library() async throws -> (Library, Identifier, UInt64) {
        var random = RandomSource.seeded(1)
        let path = Library.path(in: folder.path)
        try Replica.create(at: path, name: "boat", now: UnixTime(milliseconds: 0), using: &random)
        let replica = try Replica(path: path)
        let space = try await replica.read { try $0.spaces.own() }
        let track = try await replica.write {
            try $0.imports.insert(
                ImportedTrack(name: "Walk", sport: "", samples: Walk.samples(100)),
                as: ImportName(file: Digest(of: [1]), place: 0),
                into: space,
                now: Moment(UnixTime(milliseconds: Walk.start))
            )
        }.track
        let library = Library(
            folder: folder.path,
            replica: replica,
            space: space,
            own: space,
            presenters: Wake.presenters
        )
        let stream = try await SampleIndex(
            of: try #require(try await replica.read { try $0.tracks.find(track, in: space) }),
            in: library
        ).start()?.stream
        return (library, track, try #require(stream))
    }

    @Test func `samples are told by their times, and what cannot be told so by its number`()
        async throws
    {
        let (library, track, stream) = try await library()
        func name(_ index: Int, of stream: UInt64) -> Value {
            .text(SampleName(stream: stream, index: index).field)
        }
        let (fifth, tenth) = (name(5, of: stream), name(10, of: stream))
        let successors = Value.list([.bytes(track.bytes), .bytes(Identifier.zero.bytes)])
        let writes: [(Text, Value, String)] = [
            (TrackEdits.trimStart, fifth, "from 09:30:05"),
            (TrackEdits.trimEnd, tenth, "to 09:30:09"),
            (TrackEdits.trimEnd, name(0, of: stream), "to before 09:30:00"),
            (TrackEdits.trimEnd, name(100, of: stream), "to 09:31:39"),
            (TrackEdits.trimStart, name(41, of: stream &+ 1), "from sample 42"),
            (TrackEdits.trimStart, .text("x\u{1B}[2J"), "x\u{1B}[2J"),
            ("hide/a", .list([fifth, tenth, .bool(false)]), "part from 09:30:05 to 09:30:09"),
            ("hide/a", .list([fifth, tenth, .bool(true)]), "fixes from 09:30:05 to 09:30:09"),
            ("hide/a", .list([fifth, name(6, of: stream), .bool(true)]), "fix at 09:30:05"),
            ("hide/a", .list([.null, .null, .bool(false)]), "all"),
            ("hide/a", .integer(3), "3"),
            (TrackEdits.parts, .list([]), "[]"),
            (
                TrackEdits.parts, .list([.list([.bytes(track.bytes), fifth, .null])]),
                "\(track.short) 'Walk' from 09:30:05"
            ),
            (TrackEdits.supersededBy, successors, "\(track.short) 'Walk', 00000000"),
            (TrackEdits.trimStart, .null, "(none)"), (TrackField.name, .text("a"), "a"),
        ]
        let changes = writes.map { field, value, _ in
            Change(
                key: Key(TrackField.collection, .id(track), field),
                cell: Cell(stamp: Stamp(time: 1, replica: .zero), value: value)
            )
        }
        let words = try await library.words(for: changes)
        for (change, write) in zip(changes, writes) { #expect(words.text(change) == write.2) }
    }

    @Test func `what is put back cannot steer the terminal`() async throws {
        let id = try await library().1.description
        let test = TestContext(environment: ["WAKE_DATA": folder.path])
        for words in [["tracks", "rename", id, "a\u{1B}[2Jb"], ["undo", id, "name"]] {
            _ = test.output.take()
            #expect(await Wake.program.run(words, in: test.context) == .success)
        }
        let short = id.prefix(8)
        #expect(test.output.take() == "restored name of \(short) 'Walk': Walk, was ab\n")
    }
}
