import Foundation
import Harness
import Testing

/// A disk that answers a flush with an error: nobody knows what is durable, so nothing is written
/// any more.
@Suite(
    .processes,
    .enabled(if: Tool.fiu != nil, "not here: fiu-run is not installed")
)
struct FailingDiskTests {
    private static let flushes = ["posix/io/sync/fsync", "posix/io/sync/fdatasync"]

    @Test func `a device says so, and reads what it had`() async throws {
        let site = try Site()
        let boat = try await site.device("boat")
        let outcome = try await site.start(
            BuiltProgram.wake.path,
            ["--data", boat.path, "settings", "set", "metric", "no"],
            failing: Self.flushes
        ).finish()
        #expect(outcome.code == 1)
        #expect(outcome.errors.contains("the disk reported an error"), "\(outcome.errors)")
        try await boat("verify")
        try await boat("settings", "set", "metric", "no")
    }

    @Test func `a server ends, and what it acknowledged before is there`() async throws {
        let site = try Site()
        let control = site.path + "/fiu"
        let program = try site.start(
            Tool.fiu ?? "",
            [
                "-x", "-f", control, BuiltProgram.server.path, "serve", "--data",
                site.path + "/server", "--listen", "127.0.0.1:0", "--health", "none",
            ]
        )
        _ = try await RunningServer(program, site: site)
        let boat = try await site.device("boat")
        try await boat("join", try await site.invite())
        try await boat("sync")
        let pipe = try #require(
            try FileManager.default.contentsOfDirectory(atPath: site.path)
                .first { $0.hasPrefix("fiu-") && $0.hasSuffix(".in") }
        )
        let process = pipe.dropFirst("fiu-".count).dropLast(".in".count)
        for name in Self.flushes {
            let fault = "enable name=\(name),failinfo=\(EIO)"
            _ = try await site.shell("fiu-ctrl -f '\(control)' -c '\(fault)' \(process)").checked()
        }
        try await boat("settings", "set", "metric", "no")
        let sync = try await boat.run("sync")
        #expect(sync.code == 5, "\(sync.errors)")
        let outcome = await program.finish()
        #expect(outcome.code == 1, "\(outcome.errors)")
        #expect(outcome.errors.contains("the disk reported an error"), "\(outcome.errors)")
        struct Status: Decodable { let queued: Int }
        #expect(try await boat("status", "--json").json(Status.self).queued == 1)
        let told = try boat.toldSets()
        #expect(!told.isEmpty)
        try await site.serving { _ in }
        #expect(told.isSubset(of: try ServerLog(of: site).hashes))
    }
}
