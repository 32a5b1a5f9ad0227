import Foundation
import SyncCore
import Testing

@testable import SyncServer

/// A view is derived: whatever happens to its file, it is made again from the log.
@Suite struct ViewsTests {
    private let bed: RouteBed
    private let author: Author
    /// The log's end.
    private var end: UInt64 { author.person.controls + 6 }

    init() async throws {
        bed = try await RouteBed()
        var author = bed.author
        for _ in 0..<5 {
            _ = try await bed.server.store.append(
                [try author.push()],
                to: author.space,
                by: author.row,
                at: bed.server.clock.wall
            )
        }
        self.author = author
    }

    private func views(_ folder: String, of store: SQLiteStore? = nil) -> Views {
        Views(store: store ?? bed.server.store, folder: folder)
    }

    /// The fingerprint of what the log has, from a view that is new.
    private func expected() async throws -> Fingerprint {
        let folder = try TestFolder()
        let found = try await views(folder.path).fingerprint(of: author.space, at: end)
        return try #require(found)
    }

    private func file(in folder: TestFolder) -> String { "\(folder.path)/\(author.space).db" }

    /// A folder with a view that was made and closed.
    private func folder() async throws -> TestFolder {
        let folder = try TestFolder()
        _ = try await views(folder.path).fingerprint(of: author.space, at: end)
        return folder
    }

    @Test func `a view is known where the log ends, and nowhere else`() async throws {
        let folder = try TestFolder()
        let views = views(folder.path)
        #expect(try await views.fingerprint(of: author.space, at: end) == (try await expected()))
        #expect(try await views.fingerprint(of: author.space, at: end - 1) == nil)
        await #expect(throws: StoreError.notFound) {
            try await views.fingerprint(of: Identifier(number: 12345), at: 0)
        }
    }

    @Test func `many who ask at once get one answer`() async throws {
        let folder = try TestFolder()
        let (views, space) = (views(folder.path), author.space)
        let answers = try await withThrowingTaskGroup(of: Fingerprint?.self) { group in
            for _ in 0..<20 {
                group.addTask { try await views.fingerprint(of: space, at: end) }
            }
            return try await group.reduce(into: Set<Fingerprint?>()) { $0.insert($1) }
        }
        #expect(answers == [try await expected()])
    }

    @Test(arguments: ["removed", "garbage", "empty", "cut", "middle"])
    func `a damaged view is built again`(damage: String) async throws {
        let folder = try await folder()
        let path = file(in: folder)
        for suffix in ["-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: path + suffix)
        }
        var bytes = try Data(contentsOf: URL(filePath: path))
        switch damage {
        case "removed": try FileManager.default.removeItem(atPath: path)
        case "garbage": try Data(repeating: 7, count: 8192).write(to: URL(filePath: path))
        case "empty": try Data().write(to: URL(filePath: path))
        case "cut": try bytes.prefix(bytes.count / 2).write(to: URL(filePath: path))
        default:
            for index in bytes.indices where index > 4096 { bytes[index] = 0xa5 }
            try bytes.write(to: URL(filePath: path))
        }
        let views = views(folder.path)
        // The first question may find the damage; the next ones have the answer.
        _ = try? await views.fingerprint(of: author.space, at: end)
        #expect(try await views.fingerprint(of: author.space, at: end) == (try await expected()))
    }

    @Test func `a view of another history is thrown away`() async throws {
        let folder = try await folder()
        let other = try SQLiteStore(
            path: folder.path + "/store.db",
            receipts: Author.serverKeys.receiptSecret,
            newEpoch: Identifier(number: 77)
        )
        try await author.person.found(in: other, at: bed.server.clock.wall)
        var author = Author(device: 1)
        _ = try await other.append(
            [try author.push()],
            to: author.space,
            by: author.row,
            at: bed.server.clock.wall
        )
        let views = views(folder.path, of: other)
        let controls = author.person.controls
        let found = try #require(try await views.fingerprint(of: author.space, at: controls + 1))
        #expect(found != (try await expected()))
        let fresh = try TestFolder()
        let again = try await self.views(fresh.path, of: other)
            .fingerprint(of: author.space, at: controls + 1)
        #expect(again == found)
    }

    @Test func `an error that is not the view's leaves it as it is`() async throws {
        let folder = try await folder()
        // The same history, in a store that knows nothing of the space.
        let other = try SQLiteStore(
            path: folder.path + "/store.db",
            receipts: Author.serverKeys.receiptSecret,
            newEpoch: await bed.server.store.epoch
        )
        await #expect(throws: StoreError.notFound) {
            try await views(folder.path, of: other).fingerprint(of: author.space, at: end)
        }
        let view = try Replica(viewAt: file(in: folder), of: author.space)
        #expect(try await view.read { try $0.spaces.all() }.first?.merged.position == end)
    }

    @Test func `a view that is ahead of its log is built again`() async throws {
        let folder = try await folder()
        // The same history, as an old copy of the store has it.
        let old = try SQLiteStore(
            path: folder.path + "/store.db",
            receipts: Author.serverKeys.receiptSecret,
            newEpoch: await bed.server.store.epoch
        )
        try await author.person.found(in: old, at: bed.server.clock.wall)
        let views = views(folder.path, of: old)
        let controls = author.person.controls
        _ = try? await views.fingerprint(of: author.space, at: controls)
        #expect(try await views.fingerprint(of: author.space, at: controls) == Fingerprint())
    }
}
