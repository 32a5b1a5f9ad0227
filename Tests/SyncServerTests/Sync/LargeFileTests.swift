import SyncCore
import Testing

@testable import SyncServer

/// Files that are small when they are packed: a request has a limit to what comes out of it, too.
@Suite struct LargeFileTests {
    /// A device with a track of a file of a little more than one request may carry, all zeros but
    /// for a number at each piece's beginning.
    private func device(of server: TestServer) async throws -> (TestDevice, Digest) {
        let count = Limits.decodedChunkByteLimit / Chunk.filePieceSize + 10
        var packer = OriginalPacker()
        let digest = DigestBuilder()
        for number in 0..<count {
            var piece = [UInt8](repeating: 0, count: Chunk.filePieceSize)
            (piece[0], piece[1]) = (UInt8(number / 256), UInt8(number % 256))
            packer.add(piece)
            digest.add(piece)
        }
        let hash = digest.finish()
        let packed = packer.finish(name: "long.gpx", digest: hash)
        let file = try #require(packed)
        let device = try TestDevice("boat", server)
        let name = ImportName(file: hash, place: 0)
        var sample = Sample(time: device.moment.wall)
        (sample[.latitude], sample[.longitude]) = (52.5, 5.1)
        _ = try await device.replica.write { [sample] in
            try $0.imports.insert(
                ImportedTrack(samples: PackedSamples([sample])),
                as: name,
                of: OriginalUse(file, holder: name.track),
                into: try $0.spaces.own(),
                now: device.moment
            )
        }
        return (device, hash)
    }

    @Test func `N6 a large file is sent in as many requests as it takes`() async throws {
        let server = try TestServer()
        let (boat, _) = try await device(of: server)
        try await boat.join(try await server.invite())
        let result = try await boat.sync()
        #expect(result.end == .complete)
        #expect(result.problems.isEmpty)
        #expect(try await boat.replica.read { try $0.maintenance.status() }.isSent)
        // A server that has none of it gets it all back.
        let empty = try TestServer(clock: server.clock)
        let transport = RouterTransport(router: empty.router)
        for _ in 0..<3 { try await boat.sync(over: transport) }
        let space = try await boat.space()
        #expect(try await !boat.replica.read { try $0.backfill.hasOrphans(in: space) })
        let head = try await empty.store.page(of: space, after: 0, for: nil, byteLimit: 1).head
        let view = try await empty.service.views.fingerprint(of: space, at: head)
        #expect(try await boat.fingerprint() == view)
    }
}
