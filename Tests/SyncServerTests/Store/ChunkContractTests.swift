@testable import SyncCore
import Testing

@testable import SyncServer

/// What every store promises of chunks, and of those that are missing.
@Suite struct ChunkContractTests {
    private let author = Author(device: 1)

    private func wanted(_ bed: StoreBed) async throws -> [Digest] {
        try await bed.store.wantedChunks(of: author.space, for: author.device)
    }

    private func hashes(_ range: Range<Int>) -> [Digest] {
        range.map { Digest(of: Array("\($0)".utf8)) }
    }

    private func ascending(_ hashes: [Digest]) -> [Digest] {
        hashes.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
    }

    @Test(arguments: StoreKind.allCases)
    func `what a manifest lists is wanted until it comes`(kind: StoreKind) async throws {
        let bed = try await StoreBed(kind, with: author)
        let (one, two) = (Author.chunk(1), Author.chunk(2))
        let (space, device) = (author.space, author.device)
        try await bed.store.putChunk(two.bytes, two.hash, in: space, for: device)
        let names = [one, two].map { ChunkName(hash: $0.hash, byteCount: $0.bytes.count) }
        let manifest = ChunkManifest(.samples, names).chunk
        try await bed.store.putChunk(manifest, Digest(of: manifest), in: space, for: device)
        #expect(try await wanted(bed) == [one.hash])
    }

    @Test(arguments: StoreKind.allCases)
    func `a chunk that is missing is wanted until it comes`(kind: StoreKind) async throws {
        let bed = try await StoreBed(kind, with: author)
        let (one, two) = (Author.chunk(1), Author.chunk(2))
        let (space, device) = (author.space, author.device)
        for _ in 0..<2 {
            for chunk in [one, two] { try await bed.store.want(chunk.hash, in: space, for: device) }
        }
        #expect(try await wanted(bed) == ascending([one.hash, two.hash]))
        for _ in 0..<2 { try await bed.store.putChunk(one.bytes, one.hash, in: space, for: device) }
        #expect(try await wanted(bed) == [two.hash])
        // What is stored is not missing.
        try await bed.store.want(one.hash, in: space, for: device)
        #expect(try await wanted(bed) == [two.hash])
        let all = [one.hash, two.hash, .zero]
        #expect(
            try await bed.store.lacking(all, in: space, for: device) == [two.hash, .zero]
        )
        #expect(try await bed.store.wantedChunks(of: space, for: Identifier(number: 2)).isEmpty)
        await #expect(throws: StoreError.notFound) {
            try await bed.store.want(two.hash, in: space, for: Identifier(number: 2))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `nobody fills the disk with wishes`(kind: StoreKind) async throws {
        let bed = try await StoreBed(kind, with: author)
        let limit = StoreLimits.wantedByMembers
        for hash in hashes(0..<limit + 1) {
            try await bed.store.want(hash, in: author.space, for: author.device)
        }
        #expect(try await wanted(bed) == ascending(hashes(0..<limit)))
        // What the log names has the rest of the list.
        let named = hashes(5000..<5000 + StoreLimits.wantedChunks)
        let places = named.map { ChunkPlace(space: author.space, hash: $0) }
        try await bed.store.wantChunks(places)
        let all = try await wanted(bed)
        #expect(all.count == StoreLimits.wantedChunks)
        #expect(Set(all).isSuperset(of: hashes(0..<limit)))
    }

    @Test(arguments: StoreKind.allCases)
    func `a chunk that is dropped is wanted again`(kind: StoreKind) async throws {
        let bed = try await StoreBed(kind, with: author)
        let chunk = Author.chunk(1)
        let (space, device) = (author.space, author.device)
        try await bed.store.putChunk(chunk.bytes, chunk.hash, in: space, for: device)
        try await bed.store.dropChunks([ChunkPlace(space: space, hash: chunk.hash)])
        #expect(try await wanted(bed) == [chunk.hash])
        await #expect(throws: StoreError.notFound) {
            try await bed.store.chunk(chunk.hash, in: space, for: device)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `bytes that the disk changed are never given out`(kind: StoreKind) async throws {
        let bed = try await StoreBed(kind, with: author)
        let chunk = Author.chunk(1)
        let (space, device) = (author.space, author.device)
        // Nothing checks the hash of what a caller stores; so bytes become others here.
        try await bed.store.putChunk([1], chunk.hash, in: space, for: device)
        for _ in 0..<2 {
            await #expect(throws: StoreError.notFound) {
                try await bed.store.chunk(chunk.hash, in: space, for: device)
            }
            #expect(try await wanted(bed) == [chunk.hash])
        }
        try await bed.store.putChunk(chunk.bytes, chunk.hash, in: space, for: device)
        #expect(try await bed.store.chunk(chunk.hash, in: space, for: device) == chunk.bytes)
    }
}
