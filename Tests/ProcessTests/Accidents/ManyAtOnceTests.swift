import Foundation
import Harness
import SyncCore
import Testing

/// I8: many commands work on one data folder at the same time.
@Suite(.manyProcesses) struct ManyAtOnceTests {
    @Test func `I8 edits, imports and syncs at once all succeed, and nothing is doubled`()
        async throws
    {
        let site = try Site()
        try await site.serving { _ in
            let (boat, phone) = try await site.pair()
            try await boat("import", try site.file("a.gpx", Inputs.gpx(name: "a", points: 9000)))
            let track = try #require(try await boat.tracks().first?.id)
            let file = try site.file("b.gpx", Inputs.gpx(name: "b", points: 300))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        try await boat("tracks", "set", track, "notes", "\(number)")
                    }
                    group.addTask { try await boat("import", file) }
                    group.addTask { try await boat("sync") }
                    group.addTask { try await phone("sync") }
                }
                try await group.waitForAll()
            }
            for device in [boat, phone, boat] { try await device("sync") }
            try await site.expectEqual(boat, phone)
            #expect(
                try await phone.tracks().map(\.points).sorted { $0 ?? 0 < $1 ?? 0 } == [300, 9000]
            )
            try ServerLog(of: site).expectDense()
        }
    }

    @Test func `a command waits for a long write of another program, and says so`() async throws {
        let site = try Site()
        let boat = try await site.device("boat")
        try await boat("import", try site.file("a.gpx", Inputs.gpx(name: "a", points: 9)))
        let track = try #require(try await boat.tracks().first?.id)
        let other = try Database(path: boat.path + "/replica.db")
        try other.execute("BEGIN IMMEDIATE")
        let program = try boat.start(["tracks", "rename", track, "later"])
        _ = try await program.match(
            /another program is writing to the replica; waiting up to a minute/,
            "a note",
            in: \.errors
        )
        // Reading waits for nobody.
        #expect(try await boat.tracks().map(\.name) == ["a"])
        try other.execute("COMMIT")
        _ = try await program.finish().checked()
        #expect(try await boat.tracks().map(\.name) == ["later"])
    }

    @Test func `invitations at once beside a new server are links of their own`() async throws {
        for _ in 0..<5 {
            let site = try Site()
            try await site.serving { _ in
                try await withThrowingTaskGroup(of: String.self) { group in
                    for _ in 0..<4 { group.addTask { try await site.invite() } }
                    var links: Set<String> = []
                    for try await link in group { links.insert(link) }
                    #expect(links.count == 4)
                }
            }
        }
    }
}
