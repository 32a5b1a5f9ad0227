import Foundation
import Testing

@testable import SyncCLI

@Suite struct FolderTests {
    private let scratch: ScratchFolder

    init() throws {
        scratch = try ScratchFolder()
        for folder in ["a", "b", "b/c", ".hidden"] {
            try FileManager.default.createDirectory(
                atPath: "\(scratch.path)/\(folder)",
                withIntermediateDirectories: false
            )
        }
        for file in ["z.gpx", "a/y.gpx", "b/x.gpx", "b/c/w.gpx", ".hidden/v.gpx", "b/.u.gpx"] {
            try Data().write(to: URL(filePath: "\(scratch.path)/\(file)"))
        }
    }

    private func names(_ paths: [String]) -> [String] {
        paths.map { String($0.dropFirst(scratch.path.count + 1)) }
    }

    @Test func `the files of a folder and of those below it come by name`() throws {
        // A way round, a link that leads nowhere, and one to a file.
        let links = [("b/c/up", ".."), ("b/nowhere", "none"), ("a/link.gpx", "../z.gpx")]
        for (name, target) in links {
            try FileManager.default.createSymbolicLink(
                atPath: "\(scratch.path)/\(name)",
                withDestinationPath: target
            )
        }
        #expect(unsafe mkfifo("\(scratch.path)/pipe", 0o600) == 0)
        let contents = Folder.contents(of: scratch.path)
        #expect(
            names(contents.files) == ["a/link.gpx", "a/y.gpx", "b/c/w.gpx", "b/x.gpx", "z.gpx"]
        )
        #expect(contents.unreadable.isEmpty)
    }

    @Test func `a file whose name is not UTF-8 is told`() {
        let name = scratch.path.utf8CString.dropLast() + [0x2f, -1, 0x2e, 0x67, 0x70, 0x78, 0]
        let descriptor = unsafe open(Array(name), O_WRONLY | O_CREAT, 0o600)
        #expect(descriptor >= 0)
        close(descriptor)
        let contents = Folder.contents(of: scratch.path)
        #expect(contents.files.count == 4)
        #expect(contents.unreadable.map(\.reason) == ["its name is not UTF-8"])
    }

    @Test func `a folder that cannot be read is told, and the rest is there`() {
        let closed = scratch.path + "/b"
        let contents = Folder.contents(of: scratch.path) { path throws(FileError) in
            guard path != closed else { throw FileError(action: .read, path: path, code: EACCES) }
            return try Folder.names(in: path)
        }
        #expect(names(contents.files) == ["a/y.gpx", "z.gpx"])
        #expect(contents.unreadable.map(\.path) == [closed])
        let missing = Folder.contents(of: scratch.path + "/none")
        #expect(missing.files.isEmpty && missing.unreadable.first?.isMissing == true)
    }
}
