@testable import SyncCore
import Testing

@testable import SyncServer

/// Which chunks a device gives the server of a space that asks for them.
@Suite struct ChunkOriginTests {
    private let server: TestServer
    private let ann: TestDevice
    private let bob: TestDevice
    private let club: Identifier

    /// Ann owns a club, and Bob is in it as its viewer.
    init() async throws {
        (server, ann, bob, club) = try await TestServer.withClub(letting: .viewer)
    }

    /// The chunk of a track that Ann records.
    private func record(in space: Identifier) async throws -> Digest {
        let recording = try await ann.begin(1, samples: 50, in: space)
        try await ann.replica.write { try $0.recordings.stop(recording, at: ann.moment) }
        try await ann.sync()
        return try unwrapped(try await points(of: recording.track, in: space).first?.hash)
    }

    /// The chunks of a track, as Ann's device has them.
    private func points(
        of track: Identifier,
        in space: Identifier
    ) async throws -> [ChunkReference] {
        try await ann.replica.read { try $0.rows.cells("points", .id(track), in: space) }.values
            .compactMap { ChunkReference($0) }
    }

    /// Whether the server has a chunk of a space after a device has synced.
    private func has(
        _ hash: Digest,
        in space: Identifier,
        after device: TestDevice
    ) async throws -> Bool {
        for _ in 0..<2 { #expect(try await device.sync().end == .complete) }
        let id = try await ann.id()
        return try await server.store.lacking([hash], in: space, for: id).isEmpty
    }

    @Test func `a hash that somebody names in a club pulls no private chunk out`() async throws {
        let secret = try await record(in: try await ann.space())
        let member = try await bob.id()
        try await server.store.want(secret, in: club, for: member)
        #expect(try await !has(secret, in: club, after: ann))
    }

    @Test func `nor does a member's set that names it, when the server is refilled`() async throws {
        let own = try await ann.space()
        let secret = try await record(in: own)
        let tracks = try await ann.replica.read { try $0.tracks.all(in: own) }
        let reference = try unwrapped(try await points(of: tracks[0].id, in: own).first)
        let (user, member) = (try await bob.user(), try await bob.id())
        try await ann.replica.write {
            try $0.controlSealer.setRole(of: user, to: .editor, in: club, at: ann.moment)
        }
        // Bob has the bytes already, or the server would not take his set.
        let bytes = try await ann.replica.read { try $0.chunks.bytes(secret) }
        for device in [ann, bob] { try await device.sync() }
        try await server.store.putChunk(unwrapped(bytes), secret, in: club, for: member)
        try await bob.replica.write {
            let row = Row.id(RowMaker(user: user, salt: [1]).row(in: club))
            let field = SampleName(stream: 1, index: 0).field
            let edit = Edit(Key("points", row, field), reference.value)
            try $0.rows.apply([edit], in: $0.spaces.number(ofSpace: club), at: bob.moment)
        }
        for device in [bob, ann] { try await device.sync() }
        let empty = try TestServer(clock: server.clock)
        for _ in 0..<3 { try await ann.sync(over: empty.transport) }
        let id = try await ann.id()
        #expect(try await empty.store.lacking([secret], in: club, for: id) == [secret])
        #expect(try await empty.store.lacking([secret], in: own, for: id).isEmpty)
    }

    @Test func `a server that lost a chunk gets it from who made it, and from a viewer`()
        async throws
    {
        for device in [ann, bob] {
            let hash = try await record(in: club)
            try await bob.sync()
            try await server.store.dropChunks([ChunkPlace(space: club, hash: hash)])
            #expect(try await has(hash, in: club, after: device))
        }
    }

    @Test func `a private chunk that Ann put into the club herself comes back there`()
        async throws
    {
        let own = try await ann.space()
        let hash = try await record(in: own)
        let tracks = try await ann.replica.read { try $0.tracks.all(in: own) }
        let reference = try unwrapped(try await points(of: tracks[0].id, in: own).first)
        try await ann.replica.write {
            let maker = RowMaker(user: try $0.identity.current().user, salt: [1])
            let row = Row.id(maker.row(in: club))
            let name = SampleName(stream: 1, index: 0)
            let edit = Edit(Key("points", row, name.field), reference.value)
            try $0.rows.apply([edit], in: $0.spaces.number(ofSpace: club), at: ann.moment)
        }
        try await ann.sync()
        try await server.store.dropChunks([ChunkPlace(space: club, hash: hash)])
        #expect(try await has(hash, in: club, after: ann))
    }
}
