import Testing

@testable import SyncCore

/// The bytes of chunks, in slices that fill pages.
@Suite struct ChunkSlicesTests {
    private static let sizes = [
        2, ChunkSlices.sliceByteCount - 1, ChunkSlices.sliceByteCount,
        ChunkSlices.sliceByteCount + 1, 3 * ChunkSlices.sliceByteCount, Chunk.byteLimit,
    ]

    private static let place = RowAddress(space: 1, id: Identifier(number: 7))

    /// A plain chunk with a piece of a file, whose bytes all differ from their neighbours.
    private static func chunk(_ byteCount: Int) -> [UInt8] {
        [0x50] + (1..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 167 ^ $0 >> 8) }
    }

    @Test func `chunks of every size come back as they were`() async throws {
        let device = try await TestDevice.joined(1)
        let chunks = Self.sizes.map(Self.chunk)
        try await device.replica.write { parts in
            // The second insert of a chunk overwrites its slices with the same bytes.
            for chunk in chunks + chunks {
                try parts.chunks.insert(chunk, ChunkReference(toFile: chunk), for: Self.place)
            }
        }
        for chunk in chunks {
            let hash = Digest(of: chunk)
            #expect(try await device.replica.read { try $0.chunks.bytes(hash) } == chunk)
        }
    }

    @Test func `bytes that are forgotten leave nothing behind, and are wanted`() async throws {
        let device = try await TestDevice.joined(1)
        let chunks = Self.sizes.map(Self.chunk)
        try await device.replica.write { parts in
            for chunk in chunks {
                try parts.chunks.insert(chunk, ChunkReference(toFile: chunk), for: Self.place)
            }
            for chunk in chunks.dropLast() {
                try parts.chunks.forgetBytes(of: Digest(of: chunk))
            }
        }
        let slices = try await device.replica.count("SELECT count(*) FROM chunk_slice")
        #expect(slices == Chunk.byteLimit / ChunkSlices.sliceByteCount)
        #expect(try await device.replica.read { try $0.chunks.wantedCount() } == chunks.count - 1)
        for chunk in chunks.dropLast() {
            let hash = Digest(of: chunk)
            #expect(try await device.replica.read { try $0.chunks.bytes(hash) } == nil)
        }
    }

    @Test(arguments: [
        "UPDATE chunk_slice SET bytes = zeroblob(length(bytes)) WHERE number % 256 = 1",
        "DELETE FROM chunk_slice WHERE number % 256 = 2",
        "INSERT INTO chunk_slice SELECT x'00', 200 + 256 * number FROM chunk",
    ])
    func `K6 a damaged or lost slice is found, and healed by the same chunk`(
        damage: String
    ) async throws {
        let device = try await TestDevice.joined(1)
        let chunk = Self.chunk(10_000)
        let reference = ChunkReference(toFile: chunk)
        try await device.replica.write {
            try $0.chunks.insert(chunk, reference, for: Self.place)
        }
        try await device.replica.damage(damage)
        let found = try await device.replica.read { try $0.maintenance.chunkFindings() }
        #expect(found.damaged == [reference.hash])
        try await device.replica.write {
            try $0.chunks.insert(chunk, reference, for: Self.place)
        }
        #expect(
            try await device.replica.read { try $0.maintenance.chunkFindings() }.damaged.isEmpty
        )
    }

    /// A page holds three slices, whatever the numbers of the chunks.
    @Test func `three slices fill a page`() async throws {
        let device = try await TestDevice.joined(1)
        try await device.replica.write {
            let chunk = ChunkSlices(of: Self.chunk(Chunk.byteLimit))
            try $0.chunks.insert(chunk, of: 1 << 33)
        }
        let pages = try await device.replica.count(
            "SELECT count(*) FROM dbstat WHERE name = 'chunk_slice' AND pagetype = 'leaf'"
        )
        #expect(pages == (Chunk.byteLimit / ChunkSlices.sliceByteCount + 2) / 3)
    }
}

extension Replica {
    /// Returns the number that a statement counts.
    fileprivate func count(_ sql: SQL) throws -> Int {
        try database.first(sql) { Int($0.integer(0)) } ?? 0
    }
}
