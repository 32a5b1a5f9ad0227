@testable import SyncCore
import Testing

@testable import SyncServer

/// What every store promises of sets that members bring back.
@Suite struct RefillContractTests {
    private let now = UnixTime(milliseconds: 1_777_000_000_000)

    private func refill(
        _ sets: [RefilledSet],
        _ bed: StoreBed,
        by author: Author
    ) async throws -> [PushResult] {
        try await bed.store.refill(sets, to: author.space, by: author.row, at: now)
    }

    @Test(arguments: StoreKind.allCases)
    func `what a receipt proves is said again, in any order and of any device`(
        kind: StoreKind
    ) async throws {
        let author = Author(device: 1)
        let bed = try await StoreBed(kind, with: author)
        var gone = Author(device: 3)
        let sets = try (0..<3).map { _ in try gone.push() }
        let verdicts: [Verdict] = [.accepted, .refused, .accepted]
        for (position, place) in [2, 0, 1].enumerated() {
            let set = sets[place].refilled(as: verdicts[place], reason: "clock")
            let reason = verdicts[place] == .accepted ? "" : "clock"
            let told = PushResult.judged(
                position: author.person.controls + UInt64(position + 1),
                verdicts[place],
                reason: reason
            )
            #expect(try await refill([set, set], bed, by: author) == [told, told])
        }
        // The last set of the chain is the last one, whatever came last.
        let head = try await bed.store.head(of: gone.replica, in: author.space, for: author.device)
        #expect(head?.head == gone.head)
        #expect(try await bed.page(for: author).head == author.person.controls + 3)
    }

    @Test(arguments: StoreKind.allCases)
    func `a reason that no server of ours gives is left out`(kind: StoreKind) async throws {
        let author = Author(device: 1)
        let bed = try await StoreBed(kind, with: author)
        var gone = Author(device: 3)
        let set = try gone.push().refilled(as: .refused, reason: "<b>")
        let position = author.person.controls + 1
        let told = [PushResult.judged(position: position, .refused, reason: "")]
        #expect(try await refill([set], bed, by: author) == told)
    }

    @Test(arguments: StoreKind.allCases)
    func `what nothing proves is judged as if its author pushed it now`(
        kind: StoreKind
    ) async throws {
        var author = Author(device: 1)
        let bed = try await StoreBed(kind, with: author)
        let second = Author(device: 2)
        let before = author.person.controls
        func results(_ author: inout Author, withBody: Bool = true) async throws -> [PushResult] {
            let set = try author.push().refilled(withBody: withBody)
            return try await refill([set], bed, by: second)
        }
        let accepted = PushResult.judged(position: before + 1, .accepted, reason: "")
        #expect(try await results(&author) == [accepted])
        var (unknown, member) = (Author(device: 9), author)
        #expect(try await results(&unknown) == [.failed(.unauthorized, 0)])
        #expect(try await results(&member, withBody: false) == [.failed(.unauthorized, 0)])
        #expect(try await bed.page(for: second).head == before + 1)
    }

    @Test(arguments: StoreKind.allCases)
    func `an accepted set waits for who has its body`(kind: StoreKind) async throws {
        let author = Author(device: 1)
        let bed = try await StoreBed(kind, with: author)
        var gone = Author(device: 3)
        let set = try gone.push()
        let husk = set.refilled(as: .accepted, withBody: false)
        #expect(try await refill([husk], bed, by: author) == [.failed(.sequenceGap, 1)])
        let whole = set.refilled(as: .accepted)
        let position = author.person.controls + 1
        let told = PushResult.judged(position: position, .accepted, reason: "")
        #expect(try await refill([whole, husk], bed, by: author) == [told, told])
    }

    @Test(arguments: StoreKind.allCases)
    func `a chunk that nobody brings along is wanted`(kind: StoreKind) async throws {
        let author = Author(device: 1)
        let bed = try await StoreBed(kind, with: author)
        var gone = Author(device: 3)
        let (one, two) = (Author.chunk(1), Author.chunk(2))
        let set = try gone.push(one.cell.merging(two.cell) { $1 }, chunks: [one.bytes])
        _ = try await refill([set.refilled(as: .accepted)], bed, by: author)
        let (space, device) = (author.space, author.device)
        #expect(try await bed.store.wantedChunks(of: space, for: device) == [two.hash])
        #expect(try await bed.store.chunk(one.hash, in: space, for: device) == one.bytes)
        // A refused set has no use for them.
        let refused = try gone.push(Author.chunk(3).cell).refilled(as: .refused)
        _ = try await refill([refused], bed, by: author)
        #expect(try await bed.store.wantedChunks(of: space, for: device) == [two.hash])
    }

    @Test(arguments: StoreKind.allCases)
    func `two sets of one name are both kept, and their replica takes no more`(
        kind: StoreKind
    ) async throws {
        var author = Author(device: 1)
        let bed = try await StoreBed(kind, with: author)
        var copy = author
        copy.time += 5
        let twins = [try author.push(), try copy.push()].map {
            $0.refilled(as: .accepted)
        }
        let before = author.person.controls
        let told = (1...2).map {
            PushResult.judged(position: before + $0, .accepted, reason: "")
        }
        #expect(try await refill(twins, bed, by: author) == told)
        #expect(try await refill(twins, bed, by: author) == told)
        #expect(try await bed.append([try copy.push()], by: copy) == [.failed(.fork, 2)])
        // It would follow the first one.
        let later = try author.push()
        #expect(try await bed.append([later], by: author) == [.failed(.fork, 2)])
        // What was said of others of its sets is kept as well.
        let third = PushResult.judged(position: before + 3, .accepted, reason: "")
        let refilled = later.refilled(as: .accepted)
        #expect(try await refill([refilled], bed, by: author) == [third])
    }

    /// A set that a signature covers, as a server has it that lost its key.
    private func covered(_ set: PushedSet, withBody: Bool = true) -> RefilledSet {
        var set = set.refilled(withBody: withBody)
        set.isCovered = true
        return set
    }

    @Test(arguments: StoreKind.allCases)
    func `a set that a signature covers comes in alone, and never beside another of its name`(
        kind: StoreKind
    ) async throws {
        var author = Author(device: 1)
        let bed = try await StoreBed(kind, with: author)
        var copy = author
        copy.time += 5
        let before = author.person.controls
        let (first, twin) = (try author.push(), try copy.push())
        #expect(first.upload.slot == twin.upload.slot && first.upload.hash != twin.upload.hash)
        let told = [PushResult.judged(position: before + 1, .accepted, reason: "")]
        #expect(try await refill([covered(first)], bed, by: author) == told)
        #expect(try await refill([covered(twin)], bed, by: author) == [.failed(.fork, 2)])
        #expect(try await bed.page(for: author).head == before + 1)
        #expect(try await bed.head(for: author) == author.head)
        // A covered set may leave a gap, and the head of its replica goes on from there.
        var other = author
        _ = try other.push()
        let third = [PushResult.judged(position: before + 2, .accepted, reason: "")]
        #expect(try await refill([covered(try other.push())], bed, by: author) == third)
        #expect(try await bed.head(for: author) == other.head)
    }

    @Test(arguments: StoreKind.allCases)
    func `a replica goes back to the device that it belonged to first`(
        kind: StoreKind
    ) async throws {
        let author = Author(device: 1)
        let bed = try await StoreBed(kind, with: author)
        var (owner, thief) = (Author(device: 2), Author(device: 3))
        thief.replica = owner.replica
        #expect(try await bed.append([try thief.push()], by: thief)[0].verdict == .accepted)
        let set = try owner.push().refilled(as: .accepted)
        #expect(try await refill([set], bed, by: author)[0].verdict == .accepted)
        #expect(try await bed.append([try thief.push()], by: thief) == [.failed(.fork, 2)])
        #expect(try await bed.append([try owner.push()], by: owner) == [.failed(.fork, 2)])
    }

    @Test(arguments: StoreKind.allCases)
    func `a replica that another device took is closed`(kind: StoreKind) async throws {
        let author = Author(device: 1)
        let bed = try await StoreBed(kind, with: author)
        var (owner, thief) = (Author(device: 2), Author(device: 3))
        thief.replica = owner.replica
        #expect(try await bed.append([try thief.push()], by: thief)[0].verdict == .accepted)
        // The first set of the owner's is lost, and with it the name that both used.
        let sets = [try owner.push(), try owner.push(), try owner.push()]
        let second = sets[1].refilled(as: .accepted)
        #expect(try await refill([second], bed, by: author)[0].verdict == .accepted)
        #expect(try await bed.append([sets[2]], by: owner) == [.failed(.fork, 3)])
    }

    @Test(arguments: StoreKind.allCases)
    func `appends and refills at once leave no gap`(kind: StoreKind) async throws {
        let (rounds, reading) = (12, Author(device: 1))
        let bed = try await StoreBed(kind, with: reading)
        let end = reading.person.controls + UInt64(rounds * 3)
        let reader = Task {
            var position: UInt64 = 0
            while position < end {
                for entry in try await bed.page(after: position, for: reading).logEntries {
                    #expect(entry.position == position + 1)
                    position += 1
                }
                await Task.yield()
            }
        }
        try await withThrowingTaskGroup { group in
            for device in 2...3 as ClosedRange<UInt64> {
                group.addTask { try await append(rounds, by: Author(device: device), bed) }
            }
            group.addTask { try await bringBack(rounds, of: Author(device: 8), bed) }
            try await group.waitForAll()
        }
        try await reader.value
        #expect(try await bed.page(for: reading).head == end)
    }

    private func append(_ rounds: Int, by device: Author, _ bed: StoreBed) async throws {
        var author = device
        for _ in 0..<rounds {
            #expect(try await bed.append([try author.push()], by: author)[0].verdict == .accepted)
        }
    }

    private func bringBack(_ rounds: Int, of lost: Author, _ bed: StoreBed) async throws {
        var author = lost
        for _ in 0..<rounds {
            let set = try author.push().refilled(as: .accepted)
            #expect(try await refill([set], bed, by: Author(device: 1))[0].verdict == .accepted)
        }
    }
}
