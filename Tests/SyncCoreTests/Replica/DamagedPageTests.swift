import Testing

@testable import SyncCore

/// A replica whose file has pages that do not match their checksum.
@Suite struct DamagedPageTests {
    private let folder: TemporaryFolder
    private var path: String { folder.path + "/replica.db" }

    /// All pages but the first have two wrong bits in their checksum, so that nothing else is wrong.
    init() throws {
        folder = try TemporaryFolder()
        var random = SplitMix64(seed: 7)
        let now = UnixTime(milliseconds: 1_777_000_000_000)
        try Replica.create(at: path, name: "boat", now: now, using: &random)
        var bytes = try folder.contents(of: "replica.db")
        for page in 1..<bytes.count / 4096 { bytes[page * 4096 + 4092] ^= 3 }
        try folder.write(bytes, to: "replica.db")
    }

    @Test func `what is written is written once, though a page turns out to be damaged`()
        async throws
    {
        let replica = try Replica(path: path)
        let now = UnixTime(milliseconds: 1_777_000_000_000)
        try await replica.write { try $0.events.record(.renamed, "written", at: now) }
        let events = try await replica.read { try $0.events.latest() }
        #expect(events.count { $0.kind == .renamed } == 1)
        #expect(events.contains { $0.kind == .damaged })
    }

    @Test func `all pages are written anew by a repair`() async throws {
        let replica = try Replica(path: path)
        let faults = { try await replica.read { try $0.maintenance.verify() }.faults }
        #expect(try await faults().contains { $0.hasSuffix("does not match") })
        _ = try await replica.rewriteDamagedPages()
        let after = try await faults()
        #expect(after == [])
    }

    @Test func `damage is recorded once, and named until all pages are written anew`() async throws
    {
        let faults = { (replica: Replica) in
            try await replica.read { try $0.maintenance.verify() }.faults
        }
        for _ in 0..<3 {
            let replica = try Replica(path: path)
            _ = try await faults(replica)
            let events = try await replica.read { try $0.events.latest() }
            #expect(events.count { $0.kind == .damaged } == 1)
        }
        // Also if the damaged pages themselves were replaced.
        try Database(path: path).rewritePages()
        let replica = try Replica(path: path)
        #expect(try await faults(replica).contains { $0.hasSuffix("no repair has run since") })
        #expect(try await replica.rewriteDamagedPages())
        #expect(try await faults(replica) == [])
    }
}
