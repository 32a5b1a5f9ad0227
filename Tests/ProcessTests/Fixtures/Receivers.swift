import Foundation
import Harness
import SyncCore
import Testing

extension Device {
    /// The times of the points of the latest track, in milliseconds.
    func times() async throws -> [Int64] {
        let replica = try Replica(path: path + "/replica.db")
        let space = try await replica.read { try $0.spaces.own() }
        guard let track = try await replica.read({ try $0.tracks.all(in: space) }).first else {
            return []
        }
        let samples = try await replica.read { try $0.tracks.samples(of: track.id, in: space) }
        return samples.filter(\.isPoint).compactMap { $0.time?.milliseconds }
    }

    /// Waits until the points of the latest track are as they should be.
    func wait(for what: String, _ isDone: ([Int64]) -> Bool) async throws {
        try await until("\(what) on \(name)") { isDone(try await times()) }
    }

    /// Sends fixes, one for each second, until the recorder has stored one: what is sent before it
    /// listens is lost, as on a boat.
    func waitForFix(sending send: (_ second: Int) throws -> Void) async throws {
        var second = 0
        try await until("a first fix on \(name)", every: .milliseconds(50)) {
            try send(second)
            second += 1
            return try await !times().isEmpty
        }
    }
}

/// Sends datagrams to a port of this machine, or of a group on its loopback.
final class Datagrams {
    private let descriptor: Int32
    private var address = sockaddr_in()

    init(to port: UInt16, of host: String = "127.0.0.1") throws {
        descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw POSIXError(.EIO) }
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        var interface = in_addr()
        guard unsafe inet_pton(AF_INET, host, &address.sin_addr) == 1,
            unsafe inet_pton(AF_INET, "127.0.0.1", &interface) == 1
        else { throw POSIXError(.EINVAL) }
        let size = socklen_t(MemoryLayout<in_addr>.size)
        unsafe setsockopt(descriptor, Int32(IPPROTO_IP), IP_MULTICAST_IF, &interface, size)
    }

    deinit {
        close(descriptor)
    }

    /// Whether the program that listens on a port has read every datagram received so far.
    static func areRead(at port: UInt16) throws -> Bool {
        let table = try String(contentsOfFile: "/proc/net/udp", encoding: .utf8)
        let name = String(format: ":%04X ", Int(port))
        let sockets = table.split(separator: "\n").filter { $0.contains(name) }
        return sockets.allSatisfy { $0.contains(" 00000000:00000000 ") }
    }

    func send(_ text: String) throws {
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bytes = Array(text.utf8)
        _ = unsafe withUnsafePointer(to: address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe sendto(descriptor, bytes, bytes.count, 0, pointer, size)
            }
        }
    }
}

/// Sentences that a receiver would send.
enum NMEALine {
    /// When ``fix(second:)`` was, in milliseconds: so many seconds after 10:00 on 1 May 2026.
    static func time(ofSecond second: Int) -> Int64 {
        1_777_629_600_000 + Int64(second) * 1000
    }

    static func fix(second: Int) -> String {
        let time = String(format: "10%02d%02d", second / 60, second % 60)
        let body = "GPRMC,\(time).00,A,5251.0000,N,00518.0000,E,5.0,90.0,010526,,,A"
        return String(format: "$%@*%02X\r\n", body, body.utf8.reduce(0, ^))
    }
}
