import Harness
import SyncCore
import Testing

@testable import SyncServer

/// Who the client is, where a proxy speaks for it.
extension ListenerLimitTests {
    private func request(for client: String?) -> String {
        "GET / HTTP/1.1\r\nHost: a\r\n" + (client.map { "X-Forwarded-For: \($0)\r\n" } ?? "")
            + "\r\n"
    }

    @Test func `a proxy's clients are counted one by one, by what it saw itself`() async throws {
        var limits = SyncServer.Limits()
        (limits.requestsPerAddressSecond, limits.requestsPerAddressBurst) = (1, 3)
        var settings = Listener.Settings.test(limits)
        settings.uptime = { .seconds(7) }
        settings.proxy = PeerAddress("127.0.0.1")
        try await withListener(settings) { listener, _ in
            let client = try RawClient(port: listener.port)
            let asked = [
                "192.0.2.1", "9.9.9.9, 192.0.2.1", "1.1.1.1,192.0.2.1", "192.0.2.1, 192.0.2.77",
                nil, "unknown", "\u{600}, 192.0.2.1",
            ]
            for address in asked { client.send(request(for: address)) }
            let replies = await client.receiveAll()
            let statuses = replies.split(separator: "\r\n").filter { $0.hasPrefix("HTTP/1.1 ") }
                .map { $0.split(separator: " ")[1] }
            #expect(statuses == ["200", "200", "200", "200", "200", "200", "429"])
            #expect(replies.contains("retry-after: 1\r\n"))
        }
    }

    @Test func `with a proxy nobody else is let in`() async throws {
        var settings = Listener.Settings.test()
        (settings.proxy, settings.freesLoopback) = (PeerAddress("192.0.2.1"), false)
        try await withListener(settings) { listener, responder in
            let client = try RawClient(port: listener.port)
            client.send(request(for: nil))
            #expect(await client.receiveAll().isEmpty)
            #expect(responder.cuts.withLock { $0 } == [.foreign])
        }
    }

    @Test func `an address has so many connections at a socket too`() async throws {
        var limits = SyncServer.Limits()
        (limits.connectionsPerAddress, limits.headSeconds) = (2, 100)
        var settings = Listener.Settings.test(limits)
        settings.freesLoopback = false
        try await withListener(settings) { listener, responder in
            let clients = try (0..<3).map { _ in try RawClient(port: listener.port) }
            try await until("a refusal") { responder.cuts.withLock { $0 } == [.crowded] }
            for client in clients {
                client.send(request(for: nil))
                client.shutDown()
            }
            var replies: [String] = []
            for client in clients { replies.append(await client.receiveAll()) }
            #expect(replies.count { $0.hasPrefix("HTTP/1.1 200 OK") } == 2)
            // Who left makes room.
            try await until("no connections") { await listener.connectionCount == 0 }
            let again = try RawClient(port: listener.port)
            again.send(request(for: nil))
            again.shutDown()
            #expect(await again.receiveAll().hasPrefix("HTTP/1.1 200 OK"))
        }
    }

    @Test func `without a proxy nobody is believed who says for whom he speaks`() async throws {
        var limits = SyncServer.Limits()
        limits.requestsPerAddressBurst = 1
        try await withListener(.test(limits)) { listener, _ in
            let client = try RawClient(port: listener.port)
            for _ in 0..<3 { client.send(request(for: "192.0.2.1")) }
            client.shutDown()
            #expect(await client.receiveAll().components(of: "HTTP/1.1 200 OK") == 3)
        }
    }
}

extension String {
    /// How often a text is in it.
    fileprivate func components(of text: String) -> Int {
        split(separator: text, omittingEmptySubsequences: false).count - 1
    }
}
