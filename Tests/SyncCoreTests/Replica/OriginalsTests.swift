@testable import SyncCore
import Testing

/// The files that tracks came from: kept in pieces, on every device, and told byte for byte.
@Suite struct OriginalsTests {
    /// Bytes that compress, and then bytes that do not.
    private static func bytes(_ count: Int) -> [UInt8] {
        var random = SplitMix64(seed: 9)
        return (0..<count).map { index in
            index < count / 2 ? UInt8(index / 100 % 7) : UInt8.random(in: 0...255, using: &random)
        }
    }

    private static func file(_ bytes: [UInt8]) throws -> OriginalFile {
        var packer = OriginalPacker()
        for start in stride(from: 0, to: bytes.count, by: 70_001) {
            packer.add(Array(bytes[start..<min(start + 70_001, bytes.count)]))
        }
        let file = packer.finish(name: "ride.gpx", digest: Digest(of: bytes))
        return try #require(file)
    }

    private func imported(
        _ place: Int,
        of file: OriginalFile,
        heldBy holder: Identifier? = nil,
        startingAt first: Int = 0,
        on device: TestDevice
    ) async throws -> Identifier {
        let name = ImportName(file: file.digest, place: place)
        let samples = RecordingTests.samples(count: 3, from: first)
        let track = ImportedTrack(samples: PackedSamples(samples))
        let row = try await device.replica.write { [now = device.moment(Time.start)] in
            try $0.imports.insert(
                track,
                as: name,
                of: OriginalUse(file, holder: holder ?? name.track),
                into: TestDevice.space,
                now: now
            )
        }
        return row.track
    }

    private func read(_ track: Identifier, on device: TestDevice) async throws -> [UInt8] {
        let original = try #require(
            try await device.replica.read { try $0.originals.find(of: track, in: TestDevice.space) }
        )
        return try await device.replica.read { replica in
            var all: [UInt8] = []
            try replica.originals.read(original, in: TestDevice.space) { all += $0 }
            return all
        }
    }

    @Test(arguments: [1, 1000, 1 << 20, (1 << 20) + 1, 3_000_001])
    func `a file comes back byte for byte, here and on another device`(count: Int) async throws {
        let (one, two) = (try await TestDevice.joined(1), try await TestDevice.joined(2))
        var log = LogDouble(keys: TestDevice.spaceKeys)
        let bytes = Self.bytes(count)
        let file = try Self.file(bytes)
        #expect(file.pieces.allSatisfy { $0.chunk.count <= Chunk.byteLimit })
        let track = try await imported(0, of: file, on: one)
        #expect(try await read(track, on: one) == bytes)
        try await one.settle(&log, at: Time.start)
        try await two.settle(&log, at: Time.start + 1)
        await #expect(throws: OriginalError.missing(offset: 0)) {
            try await read(track, on: two)
        }
        // Points come before files.
        let wanted = try await two.replica.read {
            try $0.chunks.wanted(of: TestDevice.space, limit: 100)
        }
        #expect(wanted.count == file.pieces.count + 1)
        #expect(wanted.dropFirst() == file.pieces.map { Digest(of: $0.chunk) }[...])
        try await two.fetchChunks(from: log)
        #expect(try await read(track, on: two) == bytes)
        let there = try await two.replica.read { try $0.tracks.find(track, in: TestDevice.space) }
        #expect(there?.sampleCount == 3 && there?.pointCount == 3 && there?.missingChunkCount == 0)
        #expect(try await two.replica.read { try $0.maintenance.verify() }.faults == [])
    }

    @Test func `points of a later track are fetched before the file of an earlier one`()
        async throws
    {
        let (one, two) = (try await TestDevice.joined(1), try await TestDevice.joined(2))
        var log = LogDouble(keys: TestDevice.spaceKeys)
        let early = try Self.file(Self.bytes(1000))
        let late = try Self.file(Self.bytes(2000))
        for (file, second) in [(early, 0), (late, 1)] {
            _ = try await imported(0, of: file, startingAt: 10 * second, on: one)
            try await one.settle(&log, at: Time.start + Int64(second))
            // In pages of their own: within one the changes are taken by their keys.
            try await two.settle(&log, at: Time.start + Int64(second))
        }
        let wanted = try await two.replica.read {
            try $0.chunks.wanted(of: TestDevice.space, limit: 9)
        }
        #expect(wanted.count == 4)
        let files = [early, late].flatMap { $0.pieces.map { Digest(of: $0.chunk) } }
        #expect(Set(wanted.suffix(2)) == Set(files))
    }

    @Test func `the tracks of a file share its pieces`() async throws {
        let device = try await TestDevice.joined(1)
        let bytes = Self.bytes(5000)
        let file = try Self.file(bytes)
        let first = try await imported(0, of: file, on: device)
        let second = try await imported(1, of: file, heldBy: first, on: device)
        #expect(try await read(second, on: device) == bytes)
        let held = try await device.replica.read {
            try $0.rows.cells("original", .id(second), in: TestDevice.space)
        }
        #expect(held.isEmpty)
    }

    @Test func `a track that came without its file gets it later, once`() async throws {
        let device = try await TestDevice.joined(1)
        let bytes = Self.bytes(5000)
        let file = try Self.file(bytes)
        let name = ImportName(file: file.digest, place: 0)
        _ = try await device.replica.write { [now = device.moment(Time.start)] in
            try $0.imports.insert(
                ImportedTrack(samples: PackedSamples(RecordingTests.samples(count: 3))),
                as: name,
                into: TestDevice.space,
                now: now
            )
        }
        #expect(
            try await device.replica.read {
                try $0.originals.find(of: name.track, in: TestDevice.space)
            } == nil
        )
        let use = OriginalUse(file, holder: name.track)
        for _ in 0..<2 {
            try await device.replica.write { [now = device.moment(Time.start)] in
                try $0.originals.keep(
                    use,
                    of: name.track,
                    in: TestDevice.space,
                    now: now
                )
            }
        }
        #expect(try await read(name.track, on: device) == bytes)
    }

    @Test func `a cell that names a chunk of the other kind makes no file and no samples`()
        async throws
    {
        let (one, two) = (try await TestDevice.joined(1), try await TestDevice.joined(2))
        var log = LogDouble(keys: TestDevice.spaceKeys)
        let track = try await imported(0, of: Self.file(Self.bytes(5000)), on: one)
        try await one.settle(&log, at: Time.start)
        let points = try await one.replica.read {
            try $0.rows.cells("points", .id(track), in: TestDevice.space)
        }
        let pieces = try await one.replica.read {
            try $0.rows.cells("original", .id(track), in: TestDevice.space)
        }
        let (point, piece) = (try #require(points.first), try #require(pieces.first))
        let edits = [
            Edit(Key("original", .id(track), piece.key), point.value.value),
            Edit(Key("points", .id(track), point.key), piece.value.value),
        ]
        try await two.settle(&log, at: Time.start + 1)
        try await two.replica.write { [now = two.moment(Time.start + 1)] in
            try $0.rows.write(edits, in: TestDevice.space, at: now)
        }
        try await two.settle(&log, at: Time.start + 1)
        try await one.settle(&log, at: Time.start + 2)
        await #expect(throws: OriginalError.missing(offset: 0)) {
            try await read(track, on: one)
        }
        #expect(
            try await one.replica.read { try $0.tracks.samples(of: track, in: TestDevice.space) }
                .isEmpty
        )
        #expect(try await one.replica.read { try $0.maintenance.verify() }.faults == [])
    }

    @Test(arguments: ["points", "original"])
    func `a chunk that no reader finds by its name is not wanted`(collection: String) async throws {
        let (one, two) = (try await TestDevice.joined(1), try await TestDevice.joined(2))
        var log = LogDouble(keys: TestDevice.spaceKeys)
        let chunk = Chunk.pack(file: [1, 2, 3])
        let reference = ChunkReference(toFile: chunk).value
        try await one.replica.damage(
            """
            INSERT INTO chunk (hash, space, track, bytes, kind)
            VALUES (x'\(Digest(of: chunk))', 1, x'00', x'\(chunk.hexadecimal)', 5)
            """
        )
        let key = Key(Text(collection), .id(Identifier(number: 5)), "x")
        try await one.replica.write { [now = one.moment(Time.start)] in
            try $0.rows.write(
                [Edit(key, reference)],
                in: TestDevice.space,
                at: now
            )
        }
        try await one.settle(&log, at: Time.start)
        try await two.settle(&log, at: Time.start + 1)
        let cells = try await two.replica.read {
            try $0.rows.cells(key.collection, key.row, in: TestDevice.space)
        }
        #expect(cells.count == 1)
        #expect(
            try await two.replica.read { try $0.chunks.wanted(of: TestDevice.space, limit: 9) }
                .isEmpty
        )
    }

    @Test func `an edit of a track reads no piece of its file`() async throws {
        let device = try await TestDevice.joined(1)
        let track = try await imported(0, of: Self.file(Self.bytes(5000)), on: device)
        try await device.set("name", .text("renamed"), of: track, at: Time.start + 1)
        try await device.set("sport", .text("flying"), of: track, at: Time.start + 2)
        let summarized = try await device.replica.summarizedFiles()
        #expect(summarized == 0)
    }

    @Test func `a damaged piece of a file is found, and fetched again`() async throws {
        let device = try await TestDevice.joined(1)
        var log = LogDouble(keys: TestDevice.spaceKeys)
        let bytes = Self.bytes(1_000_000)
        let track = try await imported(0, of: Self.file(bytes), on: device)
        try await device.settle(&log, at: Time.start)
        try await device.replica.damage(
            "UPDATE chunk SET bytes = x'02' WHERE kind = 5 AND number % 2 = 0"
        )
        #expect(try await !device.replica.read { try $0.maintenance.verify() }.chunkFaults.isEmpty)
        _ = try await device.replica.write { [now = device.wall(Time.start + 1)] in
            try $0.repairs.repair(at: now)
        }
        try await device.fetchChunks(from: log)
        #expect(try await read(track, on: device) == bytes)
        #expect(try await device.replica.read { try $0.maintenance.verify() }.faults == [])
    }

    @Test func `pieces that make another file are not told as it`() async throws {
        let device = try await TestDevice.joined(1)
        let track = try await imported(0, of: Self.file(Self.bytes(5000)), on: device)
        let cells = try await device.replica.read {
            try $0.rows.cells("track", .id(track), in: TestDevice.space)
        }
        var map = try #require(cells["original"]?.value.map)
        var digest = try #require(map["sha256"]?.bytes)
        digest[0] ^= 1
        map["sha256"] = .bytes(digest)
        try await device.set("original", .map(map), of: track, at: Time.start)
        await #expect(throws: OriginalError.damaged) { try await read(track, on: device) }
    }

    @Test func `a file that is too large is not kept`() {
        var random = SplitMix64(seed: 1)
        let noise = (0..<1 << 20).map { _ in UInt8.random(in: 0...255, using: &random) }
        var packer = OriginalPacker()
        for _ in 0..<65 { packer.add(noise) }
        #expect(packer.isTooLarge)
        #expect(packer.finish(name: "", digest: .zero) == nil)
        var empty = OriginalPacker()
        #expect(empty.finish(name: "", digest: .zero) == nil)
    }
}

extension Replica {
    /// The number of pieces of files for which a summary of samples was stored.
    fileprivate func summarizedFiles() throws -> Int {
        try database.first(
            "SELECT count(*) FROM chunk WHERE kind = 5 AND summary IS NOT NULL"
        ) { Int($0.integer(0)) } ?? 0
    }
}
