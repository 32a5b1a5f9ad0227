import Foundation
import SyncCore
import Testing

/// Receivers that do not answer, and such that go away and come back.
@Suite(.serialized, .timeLimit(.minutes(2))) struct AbsentReceiverTests {
    /// So much longer than usual a recorder may need to obey: less than it tries one address.
    private static let patience = Duration.seconds(4)

    @Test(arguments: [SIGINT, SIGTERM])
    func `a host that does not answer keeps no recorder from its end`(signal: Int32) async throws {
        let boat = try await Site().device("boat")
        // A listener that takes no more drops what comes, as a host behind a firewall does.
        let (listener, port) = try Socket.listening(backlog: 0)
        let first = try Socket.connected(to: port)
        let recorder = try boat.start(["record", "--nmea", "tcp://127.0.0.1:\(port)"])
        try await Socket.wait(forAttemptOn: port)
        recorder.send(signal)
        let outcome = await recorder.finish()
        // One that waited for the end of its attempt could not connect, and says so.
        #expect(outcome.code == 1)
        #expect(outcome.errors.contains("interrupted before tcp://127.0.0.1:\(port) could be read"))
        withExtendedLifetime((listener, first)) {}
    }

    private func timeToStop(_ recorder: RunningProgram, of boat: Device) async throws -> Duration {
        let start = ContinuousClock.now
        try await boat("recording", "stop")
        _ = try await recorder.finish().checked()
        return ContinuousClock.now - start
    }

    @Test func `nor does one that was lost and does not answer any more`() async throws {
        let site = try Site()
        let boat = try await site.device("boat")
        let (listener, port) = try Socket.listening(backlog: 0)
        let recorder = try boat.start(["record", "--nmea", "tcp://127.0.0.1:\(port)"])
        let connection = try #require(listener.accepted())
        connection.send(Array(NMEALine.fix(second: 1).utf8)[...])
        try await boat.wait { $0.count == 1 }

        // How long it takes beside all other tests is measured on a recorder that is connected.
        let other = try await site.device("other")
        let (healthy, healthyPort) = try Socket.listening(backlog: 1)
        let usual = try other.start(["record", "--nmea", "tcp://127.0.0.1:\(healthyPort)"])
        let open = try #require(healthy.accepted())
        open.send(Array(NMEALine.fix(second: 1).utf8)[...])
        try await other.wait { $0.count == 1 }
        let usually = try await timeToStop(usual, of: other)

        let next = try Socket.connected(to: port)
        connection.end()
        try await Socket.wait(forAttemptOn: port)
        let pending = try await timeToStop(recorder, of: boat)
        #expect(pending < usually + Self.patience)
        withExtendedLifetime(open) {}
        #expect(recorder.errors.contains("the connection is lost: the other side closed it"))
        withExtendedLifetime((listener, next)) {}
    }

    @Test func `a serial device that is plugged in again is opened again`() async throws {
        let site = try Site()
        let boat = try await site.device("boat")
        let path = site.path + "/receiver"
        var line: Terminal? = try Terminal(linkedAt: path)
        let recorder = try boat.start(["record", "--nmea", path])
        for second in 0..<100 where try await boat.times().isEmpty {
            try line?.write(NMEALine.fix(second: second))
            try await Task.sleep(for: .milliseconds(100))
        }
        let before = try await boat.times().count
        line = nil
        for _ in 0..<100 where !recorder.errors.contains("the connection is lost") {
            try await Task.sleep(for: .milliseconds(100))
        }
        line = try Terminal(linkedAt: path)
        for _ in 0..<100 where !recorder.errors.contains("is there again") {
            try await Task.sleep(for: .milliseconds(100))
        }
        try line?.write(NMEALine.fix(second: 300) + NMEALine.fix(second: 301))
        try await boat.wait { $0.count == before + 2 }
        try await boat("recording", "stop")
        _ = try await recorder.finish().checked()
        #expect(try await boat.tracks().count == 1)
    }

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

/// A terminal line as that of a serial device, at a path as those in /dev/serial/by-id; without a
/// reference to it it is unplugged.
private final class Terminal {
    private let descriptor: Int32
    private let path: String

    init(linkedAt path: String) throws {
        self.path = path
        var (device, line): (Int32, Int32) = (-1, -1)
        var name = [CChar](repeating: 0, count: 256)
        guard unsafe openpty(&device, &line, &name, nil, nil) == 0 else { throw POSIXError(.EIO) }
        close(line)
        descriptor = device
        guard unsafe symlink(name, path) == 0 else { throw POSIXError(.EEXIST) }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    deinit {
        unsafe unlink(path)
        close(descriptor)
    }

    func write(_ text: String) throws {
        let bytes = Array(text.utf8)
        let count = unsafe Glibc.write(descriptor, bytes, bytes.count)
        guard count == bytes.count else { throw POSIXError(.EIO) }
    }
}
