import SyncCore
import Testing

@testable import SyncServer

/// Who may do what in a space, and what becomes of it.
@Suite struct VerdictContractTests {
    private func settings(_ scope: Text, of author: Author) -> [Key: Value] {
        [Key(Setting.collection, .text(scope), "metric"): .bool(true)]
    }

    @Test(arguments: StoreKind.allCases)
    func `a space is not there for who is not its member`(kind: StoreKind) async throws {
        var author = Author(device: 1)
        let bed = try await StoreBed(kind, with: author)
        let chunk = Author.chunk(1)
        let set = try author.push(chunk.cell, chunks: [chunk.bytes])
        _ = try await bed.append([set], by: author)
        let stranger = Author(user: 16, device: 16)
        let (store, space, replica) = (bed.store, author.space, author.replica)
        let device = stranger.device
        let calls: [@Sendable () async throws -> Void] = [
            { _ = try await bed.append([set], by: stranger) },
            { _ = try await bed.page(for: stranger) },
            { _ = try await store.head(of: replica, in: space, for: device) },
            { _ = try await store.chunk(chunk.hash, in: space, for: device) },
            { try await store.putChunk(chunk.bytes, chunk.hash, in: space, for: device) },
            { _ = try await store.lacking([chunk.hash], in: space, for: device) },
        ]
        for call in calls { await #expect(throws: StoreError.notFound) { try await call() } }
        #expect(try await store.spaces(of: device).isEmpty)
        let mine = [
            Membership(space: space, role: .owner, head: author.person.controls + 1)
        ]
        #expect(try await store.spaces(of: author.device) == mine)
        // The same question about a space that nobody has gets the same answer.
        await #expect(throws: StoreError.notFound) {
            try await store.page(of: .zero, after: 0, for: device, byteLimit: 1)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `A4 a viewer reads, and what they write is refused`(kind: StoreKind) async throws {
        let bed = try await StoreBed(kind, with: Author(device: 1))
        var viewer = Author(user: 12, device: 12)
        try await viewer.person.found(in: bed.store, at: bed.now)
        var club = try await Club(foundedBy: Author(device: 1), in: bed.store, at: bed.now)
        try await club.admit(&viewer, as: .viewer)
        var owner = club.owner
        _ = try await bed.append([try owner.push()], by: owner)
        let head = club.chain.count + 1
        let set = try viewer.push()
        let result = try await bed.append([set], by: viewer)
        #expect(result == [.judged(position: head + 1, .refused, reason: "role")])
        let entries = try await bed.page(after: head - 1, for: viewer).logEntries
        #expect(entries.map { $0.body == nil } == [false, true])
        let chunk = Author.chunk(1)
        await #expect(throws: StoreError.forbidden) {
            try await bed.store.putChunk(
                chunk.bytes,
                chunk.hash,
                in: viewer.space,
                for: viewer.device
            )
        }
        // But for the name of their own device.
        for (device, verdict) in [(viewer, Verdict.accepted), (owner, .refused)] {
            let key = Key(CollectionSchema.device.name, .id(device.device), "name")
            let result = try await bed.append([try viewer.push([key: .text("d")])], by: viewer)
            #expect(result[0].verdict == verdict)
        }
        // Their chain goes on once they may write.
        try await club.set(.editor, of: viewer)
        viewer.place.controls = club.chain.count
        #expect(try await bed.append([try viewer.push()], by: viewer)[0].verdict == .accepted)
        // An admin alone names the space.
        for (role, verdict) in [(Role.editor, Verdict.refused), (.admin, .accepted)] {
            if role == .admin { try await club.set(role, of: viewer) }
            viewer.place.controls = club.chain.count
            let name = try viewer.push([SpaceField.key: .text("club")])
            #expect(try await bed.append([name], by: viewer)[0].verdict == verdict)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `A18 nobody writes another's settings`(kind: StoreKind) async throws {
        var author = Author(device: 1)
        let bed = try await StoreBed(kind, with: author)
        let (second, stranger) = (Author(device: 2), Author(user: 3, device: 99))
        let devices = (1...8 as ClosedRange<UInt64>).map { "\(Author(device: $0).device)" }
        let other = try #require(devices.first { $0.contains("0") })
        let scopes: [(String, Verdict)] = [
            ("user/\(author.user)", .accepted), ("device/\(author.device)", .accepted),
            ("device/\(second.device)", .accepted), ("space", .accepted),
            ("user/\(stranger.user)", .refused), ("device/\(stranger.device)", .refused),
            ("user/", .refused), ("user/nobody", .refused),
            ("device/\(Identifier(number: 77))", .refused),
            // Other spellings of what is allowed.
            ("user/\(author.user.description.uppercased())", .refused),
            ("device/\(other)", .accepted), ("device/\(other.replacing("0", with: "o"))", .refused),
        ]
        for (scope, verdict) in scopes {
            let set = try author.push(settings(Text(scope), of: author))
            let result = try await bed.append([set], by: author)
            #expect(result.map(\.verdict) == [verdict], "\(scope)")
            #expect(result[0].reason == (verdict == .refused ? "role" : ""))
        }
        // Hidden among changes that are allowed.
        let mixed = settings(Text("user/\(stranger.user)"), of: author)
            .merging([Author.key: .bool(true)]) { $1 }
        let result = try await bed.append([try author.push(mixed)], by: author)
        #expect(result[0].verdict == .refused)
    }

    @Test(arguments: StoreKind.allCases)
    func `a stamp may lie five minutes ahead and no further`(kind: StoreKind) async throws {
        var author = Author(device: 1)
        let bed = try await StoreBed(kind, with: author)
        let limit = UInt64(bed.now.milliseconds + 300_000) << 16
        for (time, verdict) in [(limit + 1, Verdict.refused), (limit, .accepted)] {
            author.time = time
            let result = try await bed.append([try author.push()], by: author)
            #expect(result[0].verdict == verdict)
            #expect(result[0].reason == (verdict == .refused ? "clock" : ""))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a stamp that was accepted once can be written over`(kind: StoreKind) async throws {
        var author = Author(device: 1)
        let bed = try await StoreBed(kind, with: author)
        // The server's clock was ahead by a day.
        let wrong = UnixTime(milliseconds: bed.now.milliseconds + 86_400_000)
        author.time = UInt64(wrong.milliseconds) << 16
        let greatest = author.time
        _ = try await bed.store.append(
            [try author.push()],
            to: author.space,
            by: author.row,
            at: wrong
        )
        author.time = greatest + 2
        #expect(try await bed.append([try author.push()], by: author)[0].verdict == .refused)
        author.time = greatest + 1
        #expect(try await bed.append([try author.push()], by: author)[0].verdict == .accepted)
        let cells = Dictionary(
            uniqueKeysWithValues: (0..<3).map {
                (Key("track", .id(.zero), Text("field \($0)")), Value.bool(true))
            }
        )
        author.time = greatest + 2
        #expect(try await bed.append([try author.push(cells)], by: author)[0].verdict == .accepted)
    }
}
