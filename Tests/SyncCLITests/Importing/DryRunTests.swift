import ProgramKit
import Foundation
import Testing

@testable import SyncCLI

/// What a dry run leaves behind.
@Suite struct DryRunTests {
    private func temporaryFolder(in shore: Shore, _ names: String...) throws -> String {
        let path = ([shore.folder] + names).joined(separator: "/")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return path
    }

    @Test func `a replica that cannot be made leaves no folder`() async throws {
        let shore = try await Shore()
        // SQLite takes no path as long as the system does.
        let part = String(repeating: "d", count: 200)
        let place = try temporaryFolder(in: shore, part, part, part)
        let file = try shore.put("a.gpx", Sail.gpx())
        let outcome = await shore.run(["import", "--dry-run", file], temporaryFolder: place)
        #expect(outcome.code == .failure)
        #expect(outcome.errors.contains("cannot be opened"), "\(outcome.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: place).isEmpty)
    }

    @Test(arguments: [0, 1, 3, 10])
    func `an interrupt ends it, and leaves no folder`(count: Int) async throws {
        let shore = try await Shore()
        let place = try temporaryFolder(in: shore, "tmp")
        let files = ["a.gpx", "b.gpx"].map { ($0, Sail.gpx()) }
        let zip = try shore.put("a.zip", Packed.zip(files))
        for words in [[zip, "-"], ["-", zip]] {
            let outcome = await shore.run(
                ["import", "--dry-run"] + words,
                input: Sail.gpx("b"),
                temporaryFolder: place,
                interruptedAfter: count
            )
            #expect(outcome.code == .failure)
            #expect(outcome.errors.contains("interrupted after "), "\(outcome.errors)")
            #expect(outcome.errors.contains(" of 2 files"), "\(outcome.errors)")
            #expect(!outcome.errors.contains("damaged"), "\(outcome.errors)")
            #expect(!outcome.errors.contains("too early"), "\(outcome.errors)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: place).isEmpty)
        }
    }
}
