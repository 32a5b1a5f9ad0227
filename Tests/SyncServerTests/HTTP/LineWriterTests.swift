import Foundation
import Harness
import Testing

@testable import SyncServer

@Suite(.hangLimit) struct LineWriterTests {
    /// A line that no pipe holds, so that its writer waits for a reader.
    private let long = String(repeating: "a", count: 1 << 20) + "\n"

    @Test func `lines come out whole and in order`() throws {
        let pipe = Pipe()
        let writer = LineWriter(pipe.fileHandleForWriting.fileDescriptor)
        for number in 0..<100 { writer("\(number)\n") }
        writer.finish()
        try pipe.fileHandleForWriting.close()
        let text = try pipe.fileHandleForReading.readToEnd().map {
            String(decoding: $0, as: UTF8.self)
        }
        #expect(text == (0..<100).map { "\($0)\n" }.joined())
    }

    @Test func `where nobody reads nobody waits, and what is dropped is counted`() throws {
        let pipe = Pipe()
        let writer = LineWriter(pipe.fileHandleForWriting.fileDescriptor, lineLimit: 2)
        writer(long)
        // Its first byte is there, so it waits no more but is being written.
        #expect(try pipe.fileHandleForReading.read(upToCount: 1) == Data("a".utf8))
        for number in 1...5 { writer("\(number)\n") }
        let expected = String(long.dropFirst()) + "dropped 3 log lines\n1\n2\n"
        let rest = try pipe.fileHandleForReading.read(upToCount: expected.utf8.count)
        #expect(rest == Data(expected.utf8))
    }
}
