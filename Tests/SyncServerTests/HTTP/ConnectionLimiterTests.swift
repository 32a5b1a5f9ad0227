import Testing

@testable import SyncServer

@Suite struct ConnectionLimiterTests {
    private func peer(_ text: String) throws -> PeerAddress { try #require(PeerAddress(text)) }

    @Test func `an address is read as it is written`() throws {
        #expect(try peer("192.0.2.1") == peer("::ffff:192.0.2.1"))
        #expect(try peer("127.8.9.10").isLoopback && peer("::1").isLoopback)
        #expect(try !peer("128.0.0.1").isLoopback && !peer("::2").isLoopback)
        for text in ["", "1.2.3", "localhost", "1.2.3.4:5", " 1.2.3.4", "::g"] {
            #expect(PeerAddress(text) == nil, "\(text)")
        }
    }

    @Test func `an IPv4 address is one client, and so is an IPv6 site`() throws {
        #expect(try peer("192.0.2.1").network != peer("192.0.2.2").network)
        #expect(try peer("2001:db8::1").network == peer("2001:db8::ffff:2").network)
        #expect(try peer("2001:db8::1").network != peer("2001:db8:0:1::1").network)
    }

    @Test func `an address has its number of connections and not one more`() throws {
        let limits = SyncServer.Limits()
        var limiter = ConnectionLimiter(limits: limits)
        let (one, other) = try (peer("192.0.2.1").network, peer("192.0.2.2").network)
        for _ in 0..<limits.connectionsPerAddress {
            let hasRoom = limiter.hasRoom(for: one, at: .zero)
            #expect(hasRoom)
            limiter.addConnection(of: one)
        }
        let (full, free) = (
            limiter.hasRoom(for: one, at: .zero), limiter.hasRoom(for: other, at: .zero)
        )
        #expect(!full && free)
        limiter.removeConnection(of: one)
        let again = limiter.hasRoom(for: one, at: .zero)
        #expect(again)
    }

    /// How many of so many requests at one time are let through.
    private func served(_ count: Int, by buckets: inout TokenBuckets, at now: Duration) -> Int {
        (0..<count).count { _ in buckets.takeToken(of: "client", at: now) == nil }
    }

    @Test func `a client has a burst, and then its rate`() {
        var buckets = TokenBuckets(perSecond: 10, burst: 50)
        let times: [Double] = [0, 0.099, 0.1, 0.35, 1000]
        let counts = times.map { served(60, by: &buckets, at: .seconds($0)) }
        // A rest fills the bucket and no more.
        #expect(counts == [50, 0, 1, 2, 50])
    }

    @Test func `clients have their own buckets while there are enough`() {
        var buckets = TokenBuckets(perSecond: 1, burst: 1)
        let count = (0..<100).count { buckets.takeToken(of: $0, at: .zero) == nil }
        #expect(count > 80)
    }

    @Test func `the wait that is told suffices`() throws {
        var buckets = TokenBuckets(perSecond: 1, burst: 1, count: 1)
        let waits = [0.0, 0.001].map { buckets.takeToken(of: 1, at: .seconds($0)) }
        #expect(waits == [nil, 1])
        let later = buckets.takeToken(of: 1, at: .seconds(1.001))
        #expect(later == nil)
    }

    @Test func `large bodies leave the last quarter to small ones`() {
        var limits = SyncServer.Limits()
        limits.heldBytes = 400
        limits.smallBodyBytes = 10
        var limiter = ConnectionLimiter(limits: limits)
        limiter.hold(300, insteadOf: 0, by: nil)
        #expect(limiter.mayHold(300, by: nil) && limiter.mayHold(10, by: nil))
        limiter.hold(301, insteadOf: 300, by: nil)
        #expect(!limiter.mayHold(11, by: nil) && limiter.mayHold(10, by: nil))
        limiter.hold(400, insteadOf: 301, by: nil)
        #expect(limiter.mayHold(10, by: nil))
        limiter.hold(401, insteadOf: 400, by: nil)
        #expect(!limiter.mayHold(10, by: nil))
        limiter.hold(0, insteadOf: 401, by: nil)
        #expect(limiter.heldByteCount == 0 && limiter.mayHold(11, by: nil))
    }

    @Test func `no address has more than a quarter of what is held`() throws {
        var limits = SyncServer.Limits()
        (limits.heldBytes, limits.smallBodyBytes) = (400, 10)
        var limiter = ConnectionLimiter(limits: limits)
        let (one, other) = try (peer("192.0.2.1").network, peer("192.0.2.2").network)
        limiter.hold(100, insteadOf: 0, by: one)
        #expect(limiter.mayHold(10, by: one))
        limiter.hold(101, insteadOf: 100, by: one)
        #expect(!limiter.mayHold(10, by: one) && limiter.mayHold(10, by: other))
        limiter.hold(0, insteadOf: 101, by: one)
        #expect(limiter.mayHold(10, by: one))
    }
}
