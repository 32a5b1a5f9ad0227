import Foundation
import Harness
import SyncCore
import Testing

/// A replica.db that is none any more: refused with the way out, and never written to.
@Suite(.processes) struct DamagedReplicaTests {
    enum Damage: String, CaseIterable, Sendable {
        case empty, text, truncated, folder, foreign, newer, pages, otherLog

        /// A part of what is told.
        var words: String {
            switch self {
            case .empty: "the file is empty: it contains no replica"
            case .text, .truncated, .pages: "the file is damaged"
            case .folder: "the file cannot be opened"
            case .foreign, .otherLog: "it or its -wal file belongs to another program"
            case .newer: "a newer wake wrote it (version 99"
            }
        }

        func apply(to file: String) throws {
            let old = FileManager.default.contents(atPath: file) ?? Data()
            switch self {
            case .empty: try Data().write(to: URL(filePath: file))
            case .text: try Data("no database\n".utf8).write(to: URL(filePath: file))
            case .truncated: try old.prefix(old.count / 2).write(to: URL(filePath: file))
            case .folder:
                try FileManager.default.removeItem(atPath: file)
                try FileManager.default.createDirectory(
                    atPath: file,
                    withIntermediateDirectories: false
                )
            case .foreign:
                try FileManager.default.removeItem(atPath: file)
                try Database(path: file).execute("CREATE TABLE theirs (x); PRAGMA user_version=1")
            case .newer: try Database(path: file).execute("PRAGMA user_version=99")
            case .pages: try Self.scramble(old, 7).write(to: URL(filePath: file))
            case .otherLog: try Self.addLog(to: file)
            }
        }

        /// Random bytes in every fourth page but the first.
        static func scramble(_ bytes: Data, _ seed: UInt64) -> Data {
            var generator = SplitMix64(seed: seed)
            var bytes = bytes
            for page in stride(from: 1, to: bytes.count / 4096, by: 4) {
                for index in 0..<4096 {
                    bytes[page * 4096 + index] = UInt8.random(in: 0...255, using: &generator)
                }
            }
            return bytes
        }

        /// The log of a database with other pages under the same numbers.
        static func addLog(to file: String) throws {
            let other = file + ".other"
            let database = try Database(path: other)
            try database.execute("PRAGMA wal_autocheckpoint=0; CREATE TABLE a (x)")
            for _ in 0..<20 { try database.execute("INSERT INTO a VALUES (zeroblob(9000))") }
            try FileManager.default.copyItem(atPath: other + "-wal", toPath: file + "-wal")
        }
    }

    @Test(arguments: Damage.allCases)
    func `a damaged file is refused with the way out, and stays as it is`(damage: Damage)
        async throws
    {
        let site = try Site()
        let boat = try await site.device("boat")
        try await boat("import", try site.file("day.gpx", Inputs.gpx(name: "day", points: 50)))
        let file = boat.path + "/replica.db"
        try damage.apply(to: file)
        // SQLite gives an empty file its header.
        let before = damage == .empty ? nil : FileManager.default.contents(atPath: file)
        for words in [["tracks", "list"], ["status"], ["settings", "set", "metric", "no"]] {
            let outcome = try await boat.start(words).finish()
            #expect(outcome.code == 1, "\(words): \(outcome.errors)")
            #expect(outcome.errors.contains(damage.words), "\(words): \(outcome.errors)")
            #expect(outcome.errors.contains("\nwake: hint: "), "\(words): \(outcome.errors)")
        }
        let after = FileManager.default.contents(atPath: file)
        #expect(damage == .empty || after == before)
        guard damage == .otherLog else { return }
        try FileManager.default.removeItem(atPath: file + "-wal")
        #expect(try await boat.tracks().map(\.name) == ["day"])
        try await boat("verify")
    }

    /// Half of the pages are those of another state of the same replica, or bytes are flipped.
    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func `no damage makes a command die`(seed: UInt64) async throws {
        let site = try Site()
        let boat = try await site.device("boat")
        try await boat("import", try site.file("day.gpx", Inputs.gpx(name: "day", points: 50)))
        let track = try #require(try await boat.tracks().first).id
        let file = boat.path + "/replica.db"
        var bytes = FileManager.default.contents(atPath: file) ?? Data()
        var generator = SplitMix64(seed: seed)
        for _ in 0..<(seed % 2 == 0 ? 3 : 40) {
            let index = Int.random(in: 100..<bytes.count, using: &generator)
            bytes[index] = UInt8.random(in: 0...255, using: &generator)
        }
        try bytes.write(to: URL(filePath: file))
        for words in [
            ["tracks", "list"], ["verify"], ["tracks", "show", track], ["status"],
            ["tracks", "rename", track, "night"], ["export", "--format", "gpx"],
            ["tracks", "history", track],
        ] {
            let outcome = try await boat.start(words).finish()
            #expect(outcome.code != nil && outcome.code != 132, "seed \(seed), \(words)")
        }
    }
}
