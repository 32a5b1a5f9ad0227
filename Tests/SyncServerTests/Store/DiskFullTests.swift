import SyncCore
import Testing

@testable import SyncServer

/// S9: the disk is full.
@Suite struct DiskFullTests {
    /// Values that no compression makes small.
    private func incompressible(_ seed: Int) -> [Key: Value] {
        var generator = SplitMix64(seed: UInt64(seed))
        let bytes = (0..<4000).map { _ in UInt8.random(in: 0...255, using: &generator) }
        return [Author.key: .bytes(bytes)]
    }

    private func item(_ sealed: Seal.Sealed) -> [UInt8] {
        PushItem(upload: sealed.upload, body: sealed.body).encoded
    }

    private func results(_ items: [[UInt8]], _ bed: RouteBed) async throws -> [PushResult] {
        let response = try await bed.respond(
            to: bed.sync(items, from: bed.author),
            from: bed.author
        )
        #expect(response.status == 200)
        let reply = try SyncReply(decoding: response.body).spaces[0]
        #expect(reply.problem == nil && reply.page != nil)
        return reply.results
    }

    @Test func `S9 nothing is half stored, reads go on, and so do writes when there is room`()
        async throws
    {
        let bed = try await RouteBed()
        var author = bed.author
        try await bed.server.store.limit(pagesAbovePresent: 60)
        let items = try (0..<200).map { item(try author.next(incompressible($0))) }
        let full = try await results(items, bed)
        let stored = full.prefix { $0.verdict == .accepted }.count
        #expect(stored < items.count && full.count == items.count)
        #expect(full.dropFirst(stored).allSatisfy { $0 == .failed(.storageFull, 0) })
        #expect(try await results([], bed).isEmpty)
        let chunk = try await bed.respond(
            to: HTTPRequest("GET", "/v1/spaces/\(author.space)/chunks/\(bed.chunk.hash)"),
            from: author
        )
        #expect(chunk.status == 200)
        let store = bed.server.store
        let page = try await store.page(
            of: author.space,
            after: 0,
            for: author.device,
            byteLimit: .max
        )
        // The bed's own set comes after the control sets.
        #expect(page.head == author.person.controls + UInt64(1 + stored))
        try await store.limit(pagesAbovePresent: 1_000_000)
        let room = try await results(items, bed)
        #expect(room.map(\.verdict) == items.map { _ in .accepted })
        #expect(try await store.isSound())
    }

    @Test func `one write that does not fit does not take the others with it`() async throws {
        let bed = try await RouteBed()
        let store = bed.server.store
        try await store.limit(pagesAbovePresent: 30)
        let big = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 7919 >> 3) }
        let (space, device) = (bed.author.space, bed.author.device)
        var refused = 0
        var stored: [UInt8] = []
        await withTaskGroup(of: (UInt8, (any Error)?).self) { group in
            for number in 0..<20 as Range<UInt8> {
                let bytes = number % 2 == 0 ? big + [number] : [number]
                group.addTask {
                    do {
                        try await store.putChunk(bytes, Digest(of: bytes), in: space, for: device)
                        return (number, nil)
                    } catch {
                        return (number, error)
                    }
                }
            }
            for await (number, error) in group {
                if let error {
                    refused += 1
                    #expect((error as? DatabaseError)?.kind == .full, "\(error)")
                } else {
                    stored.append(number)
                }
            }
        }
        #expect(refused >= 10)
        // What was said to be stored is, and nothing else is.
        for number in 0..<20 as Range<UInt8> {
            let bytes = number % 2 == 0 ? big + [number] : [number]
            let lacking = try await store.lacking([Digest(of: bytes)], in: space, for: device)
            #expect(lacking.isEmpty == stored.contains(number))
        }
        #expect(try await store.isSound())
    }

    @Test func `a chunk that does not fit is told so`() async throws {
        let bed = try await RouteBed()
        try await bed.server.store.limit(pagesAbovePresent: 0)
        var generator = SplitMix64(seed: 1)
        let samples = (0..<4096).map { second in
            var sample = Sample(time: UnixTime(milliseconds: Int64(second) * 1000))
            sample[.latitude] = Double.random(in: -89...89, using: &generator)
            return sample
        }
        let bytes = Chunk.pack(samples)
        let path = "/v1/spaces/\(bed.author.space)/chunks/\(Digest(of: bytes))"
        let response = try await bed.respond(
            to: HTTPRequest("PUT", path, body: bytes),
            from: bed.author
        )
        #expect(response.isProblem(.storageFull))
    }
}

extension SQLiteStore {
    /// Lets the file grow by so many pages, as a disk that is nearly full does.
    func limit(pagesAbovePresent pages: Int64) throws {
        let present = try database.first("PRAGMA page_count") { $0.integer(0) } ?? 0
        try database.execute("PRAGMA max_page_count=\(present + pages)")
    }

    func isSound() throws -> Bool {
        try database.first("PRAGMA integrity_check") { $0.text(0) } == "ok"
    }
}
