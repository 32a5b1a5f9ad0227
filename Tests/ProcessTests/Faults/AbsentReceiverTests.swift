import Foundation
import Harness
import SyncCore
import Synchronization
import Testing

@testable import SyncCLI

/// Receivers that do not answer, and receivers that go away and come back.
@Suite(.idleProcesses) struct AbsentReceiverTests {
    /// A host behind a firewall: a listener whose queue is full drops what comes.
    private final class SilentHost: Sendable {
        let listener: Socket
        let port: UInt16
        private let connections = Mutex<[Socket]>([])
        private let milliseconds = Mutex<Int64>(0)

        init() throws {
            (listener, port) = try Socket.listening(backlog: 0)
        }

        /// From now on nobody is answered.
        func fallSilent() throws {
            let connection = try Socket.connected(to: port)
            connections.withLock { $0.append(connection) }
        }

        /// A feed without a connection timeout.
        ///
        /// Each read of its clock advances it by one second. The kernel gives up an attempt after
        /// about two minutes.
        var feed: Feed {
            Feed(
                .tcp(host: "127.0.0.1", port: String(port)),
                connectionLimitMilliseconds: .max,
                uptime: {
                    self.milliseconds.withLock { milliseconds in
                        milliseconds += 1000
                        return milliseconds
                    }
                }
            )
        }
    }

    @Test func `connecting to a silent host does not block the recorder`() async throws {
        let host = try SilentHost()
        try host.fallSilent()
        let feed = host.feed
        try await until("an attempt to connect") {
            // Returns although the attempt does not.
            #expect(try await !feed.isOpen())
            return try Socket.isAttempted(host.port)
        }
        #expect(try await !feed.isOpen())
    }

    @Test func `reconnecting to a silent host does not block it either`() async throws {
        let host = try SilentHost()
        let feed = host.feed
        try await until("a connection") { try await feed.isOpen() }
        let connection = try #require(host.listener.accepted())
        try host.fallSilent()
        connection.end()
        var events: [SourceEvent] = []
        try await until("an attempt to connect again") {
            events.append(try await feed.next(within: 10))
            return try Socket.isAttempted(host.port)
        }
        #expect(events.contains(.lost(reason: "the other side closed the connection")))
        #expect(try await feed.next(within: 10) == .silence)
    }

    /// A pipe that nobody writes to is opened for ever.
    @Test(arguments: [SIGINT, SIGTERM])
    func `a recorder whose receiver cannot be opened still stops on a signal`(
        signal: Int32
    ) async throws {
        let boat = try await Site().device("boat")
        let pipe = boat.site.path + "/receiver"
        guard unsafe mkfifo(pipe, 0o600) == 0 else { throw POSIXError(.EIO) }
        let recorder = try boat.start(["record", "--nmea", pipe])
        try await until("a recorder") { RecorderLock.isTaken(in: boat.path) }
        recorder.send(signal)
        let outcome = await recorder.finish()
        #expect(outcome.code == 1)
        #expect(outcome.errors.contains("interrupted before \(pipe) could be read"))
    }

    @Test func `a serial device that is plugged in again is opened again`() async throws {
        let site = try Site()
        let boat = try await site.device("boat")
        let path = site.path + "/receiver"
        var line: Terminal? = try Terminal(linkedAt: path)
        let recorder = try boat.start(["record", "--nmea", path])
        try await boat.waitForFix { try line?.write(NMEALine.fix(second: $0)) }
        line = nil
        _ = try await recorder.match(/connection lost/, "a loss", in: \.errors)
        let before = try await boat.times().count
        line = try Terminal(linkedAt: path)
        _ = try await recorder.match(/connection restored/, "a return", in: \.errors)
        try line?.write(NMEALine.fix(second: 3000) + NMEALine.fix(second: 3001))
        try await boat.wait(for: "two more fixes") { $0.count == before + 2 }
        try await boat("recording", "stop")
        _ = try await recorder.finish().checked()
        #expect(try await boat.tracks().count == 1)
    }

    @Test func `datagrams to a group are heard`() async throws {
        let boat = try await Site().device("boat")
        let port = try Socket.listening().port
        let recorder = try boat.start(["record", "--nmea", "udp://239.2.1.1:\(port)"])
        let sender = try Datagrams(to: port, of: "239.2.1.1")
        try await boat.waitForFix { try sender.send(NMEALine.fix(second: $0)) }
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
        try await until("a member of the group") {
            let groups = try String(contentsOfFile: Self.groups, encoding: .utf8)
            return groups.contains("ff020000000000000000000000004711") || !recorder.isRunning
        }
        #expect(recorder.isRunning, "\(recorder.errors)")
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
