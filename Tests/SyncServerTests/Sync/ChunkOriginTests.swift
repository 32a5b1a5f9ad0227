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
