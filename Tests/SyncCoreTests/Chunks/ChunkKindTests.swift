import Testing

@testable import SyncCore

@Suite struct ChunkKindTests {
    private static func digest(_ number: Int) -> Digest {
        Digest(of: UInt64(number).bigEndianBytes)
    }

    private static func chunk(_ number: Int) -> ChunkName {
        ChunkName(hash: digest(number), byteCount: number + 1)
    }

    @Test(arguments: [1, 2, 4096]) func `a manifest comes back`(count: Int) throws {
        let manifest = ChunkManifest(.rows, (0..<count).map(Self.chunk))
        #expect(try ChunkManifest(chunk: manifest.chunk) == manifest)
        guard case .manifest(manifest) = try Chunk.content(of: manifest.chunk) else {
            Issue.record("another kind")
            return
        }
    }

    /// Encodes `[kind, [[hash, byte count], …]]`.
    private static func list(_ kind: Int64, _ chunks: [(hash: [UInt8], bytes: Int64)]) -> [UInt8] {
        let items = chunks.map { Value.list([.bytes($0.hash), .integer($0.bytes)]) }
        return [0x10] + Value.list([.integer(kind), .list(items)]).encoded
    }

    private static let hash = digest(0).bytes

    @Test(
        arguments: [
            list(3, []), list(1, [(hash, 5)]), list(0, [(hash, 5)]), list(16, [(hash, 5)]),
            list(3, [(hash, 0)]), list(3, [(hash, 262_145)]), list(3, [(hash, 5), (hash, 5)]),
            list(3, [(Array(hash.dropLast()), 5)]), list(3, [(hash, 5)]) + [0],
            list(3, (0...4096).map { (digest($0).bytes, 5) }), [0x10], [0x10, 0x82, 3],
        ]
    )
    func `a manifest that breaks a rule is refused`(chunk: [UInt8]) {
        #expect(throws: ChunkError.malformed) { try ChunkManifest(chunk: chunk) }
        #expect(throws: ChunkError.malformed) { try Chunk.content(of: chunk) }
    }

    private static var key: PublicKey { SigningKey(seed: Secret(bytes: hash)).publicKey }

    private static func wraps(_ count: Int) -> KeyWraps {
        let entries = (1...count).map {
            KeyWraps.Entry(
                recipient: Identifier(number: UInt128($0)),
                wrap: [UInt8](repeating: UInt8($0 & 0xff), count: 48)
            )
        }
        return KeyWraps(epoch: 2, ephemeralKey: key, entries: entries)
    }

    @Test(arguments: [1, 3500]) func `wraps come back`(count: Int) throws {
        let wraps = Self.wraps(count)
        #expect(wraps.chunk.count <= Chunk.byteLimit)
        #expect(try KeyWraps(chunk: wraps.chunk) == wraps)
    }

    @Test func `wraps that break a rule are refused`() {
        func chunk(_ ids: [UInt8], key: Int = 32, wrap: Int = 48) -> [UInt8] {
            let entries = ids.map { id in
                Value.list([
                    .bytes([UInt8](repeating: id, count: 16)),
                    .bytes([UInt8](repeating: 1, count: wrap)),
                ])
            }
            let key = Value.bytes([UInt8](repeating: 9, count: key))
            return [0x20] + Value.list([.integer(1), key, .list(entries)]).encoded
        }
        #expect((try? KeyWraps(chunk: chunk([1, 2]))) != nil)
        for broken in [
            chunk([]), chunk([2, 1]), chunk([1, 1]), chunk([1], key: 31), chunk([1], wrap: 47),
            chunk([1]) + [0],
        ] {
            #expect(throws: ChunkError.malformed) { try Chunk.content(of: broken) }
        }
    }

    private static func change(_ row: Int, _ field: Text, by replica: Int) -> Change {
        Change(
            key: Key("track", .id(Identifier(number: UInt128(row))), field),
            cell: Cell(
                stamp: Stamp(
                    time: UInt64(1000 * row + replica),
                    replica: Identifier(number: UInt128(replica))
                ),
                value: .integer(Int64(row))
            )
        )
    }

    @Test(arguments: [1, 2, 300]) func `a snapshot of rows comes back`(count: Int) throws {
        let changes = (0..<count).flatMap { row in
            [Self.change(row, "name", by: 1 + row % 3), Self.change(row, "sport", by: 2)]
        }
        let chunk = try #require(RowSnapshot.chunk(of: changes))
        let snapshot = try RowSnapshot(chunk: chunk)
        #expect(Set(snapshot.groups.flatMap(\.changes)) == Set(changes))
        #expect(snapshot.groups.map(\.replica) == Set(changes.map(\.cell.stamp.replica)).sorted())
    }

    @Test func `a snapshot has the cells of a set at most`() {
        let changes = (0...32_768).map { Self.change($0, "name", by: 1) }
        #expect(RowSnapshot.chunk(of: changes) == nil)
    }

    @Test func `the replicas of a snapshot share its limit`() throws {
        let half = Body.encode((0..<16_384).map { Self.change($0, "name", by: 1) }, from: 1).bytes
        func cells(_ groups: [Value]) throws -> Int {
            let chunk = Chunk.encode(Value.list(groups).encoded, as: .rows)
            return try RowSnapshot(chunk: chunk).groups.reduce(0) { $0 + $1.places.count }
        }
        let groups = [UInt8(1), 2].map { group($0, 16_384, half) }
        #expect(try cells(groups) == 32_768)
        #expect(throws: ChunkError.malformed) { try cells(groups + [group(3)]) }
    }

    /// Encodes `[replica, cells, low, body]`; without a body, that of one cell.
    private func group(
        _ replica: UInt8,
        _ cells: Int64 = 1,
        low: Int64 = 1,
        _ body: [UInt8]? = nil
    ) -> Value {
        let id = [UInt8](repeating: 0, count: 15) + [replica]
        return .list([
            .bytes(id), .integer(cells), .integer(low),
            .bytes(body ?? Body.encode([Self.change(0, "name", by: 1)], from: 1).bytes),
        ])
    }

    @Test func `rows that break a rule are refused`() {
        let body = Body.encode([Self.change(0, "name", by: 1)], from: 1).bytes
        let late = Body.encode([Self.change(0, "name", by: 1)], from: 0).bytes
        func chunk(_ groups: [Value]) -> [UInt8] { [0x30] + Value.list(groups).encoded }
        #expect((try? RowSnapshot(chunk: chunk([group(1), group(2)]))) != nil)
        for broken in [
            chunk([]), chunk([group(2), group(1)]), chunk([group(1), group(1)]),
            chunk([group(1, 2)]), chunk([group(1, 0)]), chunk([group(1, low: 0, late)]),
            chunk([group(1, 1, body + [0])]), chunk([group(1)]) + [0],
            chunk([group(1, 1 << 40)]), chunk([group(1, low: -1)]),
        ] {
            #expect(throws: ChunkError.malformed) { try Chunk.content(of: broken) }
        }
    }

    @Test func `a chunk of an unknown kind is kept within the common limits`() throws {
        guard case .unknown = try Chunk.content(of: [0xf7, 1, 2]) else {
            Issue.record("a known kind")
            return
        }
        let long = [0xf0] + [UInt8](repeating: 0, count: Chunk.byteLimit)
        #expect(throws: ChunkError.tooLarge) { try Chunk.content(of: long) }
        #expect(throws: ChunkError.unknownEncoding(0x00)) { try Chunk.content(of: [0, 1]) }
        #expect(throws: ChunkError.unknownEncoding(0x12)) { try Chunk.content(of: [0x12, 1]) }
    }

    @Test func `the chunks of a manifest are fetched before the samples of tracks`() async throws {
        let device = try await TestDevice.joined(1)
        let listed = [Chunk.pack(file: [1, 2]), Chunk.pack(file: [3])]
        let manifest = ChunkManifest(
            .wraps,
            listed.map { ChunkName(hash: Digest(of: $0), byteCount: $0.count) }
        )
        let reference = ChunkReference(
            hash: Digest(of: manifest.chunk),
            byteCount: manifest.chunk.count,
            kind: .manifest,
            summary: nil
        )
        let place = RowAddress(space: 1, id: Identifier(number: 9))
        let samples = RecordingTests.samples(count: 5)
        let points = ChunkReference(to: Chunk.pack(samples), ChunkSummary(of: samples))
        let wanted = try await device.replica.write { parts in
            try parts.chunks.want(points, for: place)
            try parts.chunks.want(reference, for: place)
            let first = try parts.chunks.wanted(of: TestDevice.space, limit: 9)
            #expect(first == [reference.hash, points.hash])
            try parts.chunks.store(manifest.chunk, of: reference.hash)
            return try parts.chunks.wanted(of: TestDevice.space, limit: 9)
        }
        #expect(wanted == listed.map { Digest(of: $0) } + [points.hash])
    }
}
