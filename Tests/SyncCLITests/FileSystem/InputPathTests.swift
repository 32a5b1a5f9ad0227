internal import Glibc
import Testing

@testable import SyncCLI

@Suite struct InputPathTests {
    @Test func `an open file has a name, whatever its bytes are, and a pipe has none`() throws {
        let scratch = try ScratchFolder()
        let ending: [CChar] = [0x2f, 0x6e, -1, 0x2e, 0x66, 0x69, 0x74, 0]
        let name = scratch.path.utf8CString.dropLast() + ending
        let descriptor = unsafe open(Array(name), O_RDWR | O_CREAT, 0o600)
        #expect(descriptor >= 0)
        defer { close(descriptor) }
        let path = try #require(InputFile.path(of: descriptor))
        #expect(path.hasSuffix("/n\u{FFFD}.fit"))
        #expect(unsafe unlink(Array(name)) == 0)
        #expect(InputFile.path(of: descriptor) == nil)
        var ends: [Int32] = [0, 0]
        #expect(unsafe pipe(&ends) == 0)
        defer { ends.forEach { close($0) } }
        #expect(InputFile.path(of: ends[0]) == nil)
    }

    @Test func `a track from standard input has the name of the file`() {
        var context = TestContext(environment: [:]).context
        #expect(ByteSource(standardInputOf: context).stem == nil)
        context.inputPath = { "/tours/morning.run.fit" }
        let source = ByteSource(standardInputOf: context)
        #expect(source.stem == "morning.run")
        #expect(source.name == "standard input")
    }
}
