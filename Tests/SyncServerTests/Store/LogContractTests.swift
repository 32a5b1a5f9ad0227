@testable import SyncCore
import Testing

@testable import SyncServer

/// What every store promises of a space's log.
@Suite struct LogContractTests {
    @Test(arguments: StoreKind.allCases)
    func `concurrent writers get positions without a gap, and a reader never sees one`(
        kind: StoreKind
    ) async throws {
        let (writers, rounds) = (8, 25)
        let bed = try await StoreBed(kind, with: Author(device: 1))
        let before = Author(device: 1).person.controls
        let reader = Task {
            var position = before
            while position < before + UInt64(writers * rounds) {
                let page = try await bed.page(after: position, for: Author(device: 1))
                for entry in try page.logEntries {
                    #expect(entry.position == position + 1)
                    position += 1
                }
                await Task.yield()
            }
        }
        try await withThrowingTaskGroup { group in
            for device in 1...writers {
                group.addTask {
                    var author = Author(device: UInt64(device))
                    for _ in 0..<rounds {
                        let result = try await bed.append([try author.push()], by: author)
                        #expect(result.count == 1 && result[0].verdict == .accepted)
                    }
                }
            }
            try await group.waitForAll()
        }
        try await reader.value
        let page = try await bed.page(for: Author(device: 1))
        #expect(page.head == before + UInt64(writers * rounds))
        #expect(try page.logEntries.map(\.position) == Array(1...page.head))
    }

    @Test(arguments: StoreKind.allCases)
    func `writes that wait share a commit`(kind: StoreKind) async throws {
        let bed = try await StoreBed(kind, with: Author(device: 1))
        let before = try await bed.store.statistics()
        try await withThrowingTaskGroup { group in
            for replica in 1...200 as ClosedRange<UInt128> {
                group.addTask {
                    var author = Author(device: 1)
                    author.replica = Identifier(number: replica)
                    _ = try await bed.append([try author.push()], by: author)
                }
            }
            try await group.waitForAll()
        }
        let after = try await bed.store.statistics()
        let writes = after.writeCount - before.writeCount
        #expect(writes == 200)
        #expect(after.commitCount - before.commitCount < writes)
        #expect(after.byteCount > before.byteCount)
    }

    @Test func `a set is looked up by its name, however long the log is`() async throws {
        let bed = try await StoreBed(.sqlite, with: Author(device: 1))
        let database = try Database(path: bed.folder.path + "/store.db")
        let name = ReplicaSequence(replica: .zero, sequence: 1)
        var query = SQLiteTables.selectSets(named: name, in: .zero)
        query.parts[0] = "EXPLAIN QUERY PLAN " + query.parts[0]
        let plan = try database.all(query) { $0.text(3) }
        #expect(plan.first?.contains("INDEX log_replica") == true, "\(plan)")
    }

    @Test(arguments: StoreKind.allCases)
    func `what is sent again gets the verdict that it had`(kind: StoreKind) async throws {
        var author = Author(device: 1)
        let bed = try await StoreBed(kind, with: author)
        author.time = UInt64(bed.now.milliseconds + 600_000) << 16
        let refused = try author.push()
        author.time = UInt64(bed.now.milliseconds) << 16
        let accepted = try author.push()
        let first = try await bed.append([refused, accepted], by: author)
        let before = author.person.controls
        #expect(
            first == [
                .judged(position: before + 1, .refused, reason: "clock"),
                .judged(position: before + 2, .accepted, reason: ""),
            ]
        )
        #expect(
            try await bed.append([refused, accepted, refused], by: author) == first + [first[0]]
        )
        #expect(try await bed.page(for: author).head == before + 2)
    }

    @Test(arguments: StoreKind.allCases)
    func `a receipt is the server's word on a set and its verdict`(kind: StoreKind) async throws {
        var author = Author(device: 1)
        let bed = try await StoreBed(kind, with: author)
        author.time = UInt64(bed.now.milliseconds + 600_000) << 16
        let refused = try author.push()
        author.time = UInt64(bed.now.milliseconds) << 16
        let sets = [refused, try author.push()]
        _ = try await bed.append(sets, by: author)
        let page = try await bed.page(after: author.person.controls, for: author)
        let receipts = try page.logEntries.map(\.receipt)
        let key = MACKey(Author.serverKeys.receiptSecret.bytes)
        let expected = zip(sets, [.refused, .accepted] as [Verdict]).map { set, verdict in
            key.tag(of: set.upload.name.judged(verdict))
        }
        #expect(receipts == expected)
    }

    @Test(arguments: StoreKind.allCases)
    func `a gap and a fork change nothing`(kind: StoreKind) async throws {
        var author = Author(device: 1)
        let bed = try await StoreBed(kind, with: author)
        var other = author
        let sets = [try author.push(), try author.push(), try author.push()]
        #expect(try await bed.append([sets[1]], by: author) == [.failed(.sequenceGap, 1)])
        #expect(try await bed.page(for: author).head == author.person.controls)
        #expect(try await bed.head(for: author) == nil)
        #expect(try await bed.append(sets, by: author).allSatisfy { $0.verdict == .accepted })
        let fork = try other.push([Author.key: .text("another first")])
        #expect(try await bed.append([fork], by: author) == [.failed(.fork, 4)])
        // The right sequence after another predecessor.
        var seal = author.seal
        seal.previous = fork.upload.hash
        let stray = try author.pushed(try author.sealed([Author.key: .bool(true)], after: seal))
        #expect(try await bed.append([stray], by: author) == [.failed(.fork, 4)])
        // An old sequence after the right predecessor.
        seal = author.seal
        seal.sequence = 2
        let old = try author.pushed(try author.sealed([Author.key: .bool(true)], after: seal))
        #expect(try await bed.append([old], by: author) == [.failed(.fork, 4)])
        let page = try await bed.page(for: author)
        #expect(page.head == author.person.controls + 3)
        #expect(try await bed.head(for: author) == author.head)
    }

    @Test(arguments: StoreKind.allCases)
    func `I12 a replica belongs to one device, in every space`(kind: StoreKind) async throws {
        var author = Author(device: 1)
        let bed = try await StoreBed(kind, with: author)
        _ = try await bed.append([try author.push()], by: author)
        var second = Author(device: 2)
        second.replica = author.replica
        #expect(try await bed.append([try second.push()], by: second) == [.failed(.fork, 2)])
        var stranger = Author(user: 16, device: 16)
        try await stranger.person.found(in: bed.store, at: bed.now)
        stranger.replica = author.replica
        #expect(try await bed.append([try stranger.push()], by: stranger) == [.failed(.fork, 1)])
        #expect(try await bed.append([try author.push()], by: author)[0].verdict == .accepted)
    }

    @Test(arguments: StoreKind.allCases)
    func `a set without its chunks changes nothing`(kind: StoreKind) async throws {
        var author = Author(device: 1)
        let bed = try await StoreBed(kind, with: author)
        let (first, second) = (Author.chunk(1), Author.chunk(2))
        let cells = first.cell.merging(second.cell) { $1 }
        let sealed = try author.next(cells)
        let partial = try author.pushed(sealed, chunks: [first.bytes])
        #expect(try await bed.append([partial], by: author) == [.failed(.chunksMissing, 1)])
        #expect(try await bed.page(for: author).head == author.person.controls)
        let hashes = [first.hash, second.hash]
        let lacking = try await bed.store.lacking(hashes, in: author.space, for: author.device)
        #expect(lacking == hashes)
        // The name of its replica is still anyone's.
        var other = Author(device: 2)
        other.replica = author.replica
        #expect(try await bed.append([try other.push()], by: other)[0].verdict == .accepted)
    }

    @Test(arguments: StoreKind.allCases)
    func `a chunk comes along or was sent before`(kind: StoreKind) async throws {
        var author = Author(device: 1)
        let bed = try await StoreBed(kind, with: author)
        let (first, second) = (Author.chunk(1), Author.chunk(2))
        try await bed.store.putChunk(
            second.bytes,
            second.hash,
            in: author.space,
            for: author.device
        )
        let cells = first.cell.merging(second.cell) { $1 }
        let set = try author.push(cells, chunks: [first.bytes])
        #expect(try await bed.append([set], by: author)[0].verdict == .accepted)
        for chunk in [first, second] {
            let bytes = try await bed.store.chunk(chunk.hash, in: author.space, for: author.device)
            #expect(bytes == chunk.bytes)
        }
        await #expect(throws: StoreError.notFound) {
            try await bed.store.chunk(.zero, in: author.space, for: author.device)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a page holds what fits, its chain is that of its entries`(kind: StoreKind) async throws {
        var author = Author(device: 1)
        let bed = try await StoreBed(kind, with: author)
        let sets = try (0..<1500).map { _ in try author.push() }
        _ = try await bed.append(sets, by: author)
        let names = author.person.sets.map(\.upload.name) + sets.map(\.upload.name)
        let head = UInt64(names.count)
        let all = try await bed.page(for: author, byteLimit: .max)
        #expect(all.entries.count == 1000 && all.position == 1000 && all.head == head)
        let one = try await bed.page(after: head - 1, for: author, byteLimit: 1)
        #expect(one.entries.count == 1 && one.position == head)
        let byteLimit = try 3 * #require(all.entries.last).count
        let few = try await bed.page(after: 3, for: author, byteLimit: byteLimit)
        #expect((1...3).contains(few.entries.count))
        let end = try await bed.page(after: head, for: author)
        #expect(end.entries.isEmpty && end.chain == one.chain)
        var chain = Digest.zero
        for name in names {
            chain = LogChain.link(after: chain, name, .accepted)
        }
        #expect(one.chain == chain)
        await #expect(throws: StoreError.beyondHead(head)) {
            try await bed.page(after: head + 1, for: author)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `what was answered is there when the store is opened again`(kind: StoreKind) async throws {
        var author = Author(device: 1)
        let bed = try await StoreBed(kind, with: author)
        _ = try await bed.append([try author.push()], by: author)
        let page = try await bed.page(for: author)
        let again = try kind.open(in: bed.folder)
        #expect(again.epoch == bed.store.epoch)
        let reread = try await again.page(
            of: author.space,
            after: 0,
            for: author.device,
            byteLimit: 1 << 20
        )
        #expect(reread == page)
        let heads = try await again.spaces(of: author.device).map(\.head)
        #expect(heads == [author.person.controls + 1])
    }
}

extension PushResult {
    /// Nil where nothing was judged.
    var verdict: Verdict? {
        if case .judged(_, let verdict, _) = self { verdict } else { nil }
    }

    var reason: String? {
        if case .judged(_, _, let reason) = self { reason } else { nil }
    }
}
