import Foundation
import Harness
import SyncCore
import Testing

/// Backups of a server that runs, and what is left when the programs that make them are ended.
@Suite(.processes) struct BackupProcessTests {
    /// Runs a command of the server on the site's folder.
    private func run(_ words: String..., at site: Site) async throws -> Outcome {
        let words = words + ["--data", site.path + "/server"]
        return try await site.start(BuiltProgram.server.path, words).finish()
    }

    private func names(at site: Site) throws -> Set<String> {
        Set(try FileManager.default.contentsOfDirectory(atPath: site.path + "/server"))
    }

    /// What the store has of its log, and of which epoch it is.
    private func content(at site: Site) throws -> (hashes: Set<Digest>, epoch: Identifier) {
        let database = try Database(path: site.path + "/server/store.db")
        let epoch = try database.first("SELECT epoch FROM server") { $0.id(0) }
        return (try ServerLog(of: site).hashes, epoch ?? .zero)
    }

    @Test func `S1 a backup of a running server is put back on a wiped disk`() async throws {
        let site = try Site()
        let backup = site.path + "/backup"
        let log = try await site.serving { _ in
            let (boat, _) = try await site.pair()
            try await boat("import", try site.file("0.gpx", Inputs.gpx(name: "0", points: 9)))
            try await boat("sync")
            let outcome = try await run("backup", backup, at: site).checked()
            #expect(outcome.output.hasPrefix("wrote and verified backup \(backup) of 20"))
            #expect(outcome.errors.contains("hint: the backup contains no keys"))
            let again = try await run("backup", backup, at: site)
            #expect(again.code == 4 && again.errors.contains("already exists"))
            let refused = try await run("restore", backup, at: site)
            #expect(refused.code == 1 && refused.errors.contains("another server is running"))
            return try ServerLog(of: site)
        }
        for name in try names(at: site) where name.hasPrefix("store.db") || name == "views" {
            try FileManager.default.removeItem(atPath: site.path + "/server/" + name)
        }
        let lost = try await run("serve", at: site)
        #expect(lost.code == 1 && lost.errors.contains("'wake-server restore --empty'"))
        let missing = try await run("restore", site.path + "/nothing", at: site)
        #expect(missing.code == 3)
        let outcome = try await run("restore", backup, at: site).checked()
        #expect(outcome.output.contains("restored \(site.path)/server/store.db from \(backup)"))
        #expect(outcome.output.contains("\n1 space, \(log.entries.count) entries, verified\n"))
        let restored = try ServerLog(of: site)
        #expect(restored.entries == log.entries && restored.chunks == log.chunks)
        try await site.serving { _ in }
    }

    @Test func `a restore that is killed leaves the old store or the new one`() async throws {
        let site = try Site()
        let backup = site.path + "/backup"
        try await site.serving { _ in
            let (boat, _) = try await site.pair()
            _ = try await run("backup", backup, at: site).checked()
            try await boat("import", try site.file("0.gpx", Inputs.gpx(name: "0", points: 9)))
            try await boat("sync")
        }
        let later = try content(at: site)
        var earlier: Set<Digest>?
        var ends = (old: 0, new: 0)
        for round in 0..<30 {
            let words = ["restore", backup, "--data", site.path + "/server"]
            let before = try content(at: site).epoch
            let program = try site.start(BuiltProgram.server.path, words)
            try await Task.sleep(for: .milliseconds(round * 2))
            program.send(SIGKILL)
            await program.finish()
            let present = try content(at: site)
            if present.epoch == before {
                #expect(present.hashes == earlier ?? later.hashes)
                ends.old += 1
            } else {
                earlier = earlier ?? present.hashes
                #expect(
                    present.hashes == earlier && present.hashes.isStrictSubset(of: later.hashes)
                )
                ends.new += 1
            }
        }
        #expect(ends.old > 0)
        let last = try await run("restore", backup, at: site).checked()
        #expect(last.output.contains("verified"))
        #expect(try !names(at: site).contains { $0.contains("restoring") })
        // The store that was there first is kept under one of the names.
        #expect(try keptEpochs(at: site).contains(later.epoch))
        try await site.serving { _ in }
    }

    /// The epochs of the stores that restores put aside.
    private func keptEpochs(at site: Site) throws -> [Identifier] {
        try names(at: site).filter { $0.contains("before-restore") }.compactMap { name in
            let database = try Database(path: site.path + "/server/" + name)
            return try database.first("SELECT epoch FROM server") { $0.id(0) }
        }
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func `a backup that is interrupted leaves nothing`(signal: Int32) async throws {
        let site = try Site()
        try await site.serving { _ in
            let boat = try await site.device("boat")
            try await boat("join", try await site.invite())
        }
        let (backup, draft) = (site.path + "/backup", site.path + "/backup.draft")
        // If a backup finishes before the signal arrives, try again with a larger store.
        var outcome: Outcome?
        for _ in 0..<10 where outcome?.code != 1 {
            try FileManager.default.removeIfThere(backup)
            try grow(site)
            let program = try site.start(
                BuiltProgram.server.path,
                ["backup", backup, "--data", site.path + "/server"]
            )
            try await until("a draft") {
                FileManager.default.fileExists(atPath: draft) || !program.isRunning
            }
            program.send(signal)
            outcome = await program.finish()
            try #require([0, 1].contains(outcome?.code), "\(outcome?.errors ?? "")")
        }
        #expect(outcome?.code == 1, "every backup finished before the signal arrived")
        let errors = outcome?.errors ?? ""
        #expect(errors.contains("interrupted"), "\(errors)")
        let left = try FileManager.default.contentsOfDirectory(atPath: site.path)
        #expect(!left.contains { $0.hasPrefix("backup") }, "\(left)")
    }

    /// Adds 75 MB to the store.
    private func grow(_ site: Site) throws {
        try Database(path: site.path + "/server/store.db").execute(
            """
            WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number LIMIT 300)
            INSERT INTO chunk (space_id, hash, bytes)
            SELECT zeroblob(16), randomblob(32), zeroblob(262144) FROM number
            """
        )
    }
}

extension FileManager {
    fileprivate func removeIfThere(_ path: String) throws {
        if fileExists(atPath: path) { try removeItem(atPath: path) }
    }
}
