import SyncCore
import Testing

@testable import SyncCLI

@Suite struct QuietFilesTests {
    private static func state(_ byteCount: Int64, changed: Int64 = 1_000_000) -> FileState {
        FileState(
            file: 1,
            byteCount: byteCount,
            changed: UnixTime(milliseconds: changed)
        )
    }

    private static func look(
        _ files: inout QuietFiles,
        _ states: [String: FileState],
        at uptime: Int64
    ) -> [String] {
        files.look(states, uptime: uptime, now: UnixTime(milliseconds: 1_000_000 + uptime))
    }

    @Test func `what was written long ago is taken at once, and only once`() {
        var files = QuietFiles()
        let states = ["b": Self.state(1, changed: 0), "a": Self.state(1, changed: 0)]
        #expect(Self.look(&files, states, at: 0) == ["a", "b"])
        #expect(Self.look(&files, states, at: 60_000) == [])
    }

    @Test func `a file that grows is taken when it does not any more`() {
        var files = QuietFiles()
        for second in 0..<10 {
            let uptime = Int64(second) * 2000
            let state = Self.state(Int64(second), changed: 1_000_000 + uptime)
            #expect(Self.look(&files, ["a": state], at: uptime) == [])
        }
        let last = Self.state(9, changed: 1_018_000)
        #expect(Self.look(&files, ["a": last], at: 20_000) == [])
        #expect(Self.look(&files, ["a": last], at: 22_000) == ["a"])
    }

    @Test func `one that goes on again and again is taken less and less often`() {
        var files = QuietFiles()
        var (uptime, rests) = (Int64(0), [Int64]())
        for size in Int64(0)..<12 {
            let state = Self.state(size, changed: 1_000_000 + uptime)
            let start = uptime
            while Self.look(&files, ["a": state], at: uptime).isEmpty { uptime += 1000 }
            rests.append((uptime - start) / 1000)
            uptime += 1000
        }
        #expect(rests == [3, 6, 12, 24, 48, 96, 192, 384, 600, 600, 600, 600])
    }

    @Test(arguments: [Int64.min, .max, 9_000_000_000_000])
    func `a time of the file that cannot be is no reason to wait for ever`(changed: Int64) {
        var files = QuietFiles()
        let states = ["a": Self.state(1, changed: changed)]
        let first = Self.look(&files, states, at: 0)
        #expect(first + Self.look(&files, states, at: 3000) == ["a"])
    }

    @Test func `a file that went away and came back is another one`() {
        var files = QuietFiles()
        let states = ["a": Self.state(1, changed: 0)]
        #expect(Self.look(&files, states, at: 0) == ["a"])
        #expect(Self.look(&files, [:], at: 2000) == [])
        #expect(Self.look(&files, states, at: 4000) == ["a"])
    }
}
