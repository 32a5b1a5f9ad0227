import Foundation
import SyncCore
import Testing

/// Receivers that do not answer, and such that go away and come back.
@Suite(.serialized, .timeLimit(.minutes(2))) struct AbsentReceiverTests {
    @Test func `datagrams to a group are heard`() async throws {
        let boat = try await Site().device("boat")
        let port = try Socket.listening().port
        let recorder = try boat.start(["record", "--nmea", "udp://239.2.1.1:\(port)"])
        let sender = try Datagrams(to: port, of: "239.2.1.1")
        for second in 0..<200 where try await boat.times().isEmpty {
            try sender.send(NMEALine.fix(second: second))
            try await Task.sleep(for: .milliseconds(50))
        }
        try await boat("recording", "stop")
        _ = try await recorder.finish().checked()
        #expect(try await boat.tracks().first?.points ?? 0 > 0)
    }

    private static let groups = "/proc/net/igmp6"

    @Test(.enabled(if: FileManager.default.fileExists(atPath: groups), "not here: IPv6"))
    func `a group of IPv6 is joined`() async throws {
        let boat = try await Site().device("boat")
        let port = try Socket.listening().port
        let recorder = try boat.start(["record", "--nmea", "udp://[ff02::4711]:\(port)"])
        var isJoined = false
        for _ in 0..<100 where !isJoined {
            let groups = try String(contentsOfFile: Self.groups, encoding: .utf8)
            isJoined = groups.contains("ff020000000000000000000000004711")
            try await Task.sleep(for: .milliseconds(50))
        }
        #expect(isJoined, "\(recorder.errors)")
        recorder.send(SIGINT)
        _ = await recorder.finish()
    }
}
