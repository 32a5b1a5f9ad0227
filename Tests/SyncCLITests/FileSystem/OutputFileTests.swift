import Foundation
import Testing

@testable import SyncCLI

/// What a file may take the place of.
@Suite struct OutputFileTests {
    private let folder: ScratchFolder

    init() throws {
        folder = try ScratchFolder()
    }

    @Test func `a file is written over when that is asked for`() throws {
        let path = folder.path + "/a.gpx"
        for text in ["old", "new"] {
            let file = try OutputFile(path, replaces: true)
            try file.write(Array(text.utf8))
            try file.finish()
        }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "new")
        #expect(throws: FileError.self) { _ = try OutputFile(path, replaces: false) }
    }

    @Test func `a pipe is never replaced`() throws {
        let path = folder.path + "/pipe"
        #expect(unsafe mkfifo(path, 0o600) == 0)
        let error = #expect(throws: FileError.self) { _ = try OutputFile(path, replaces: true) }
        #expect(error?.isDevice == true)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["pipe"])
    }
}
