import Testing

@testable import SyncCore

/// A server's `host:port`.
@Suite struct AuthorityTests {
    @Test(arguments: ["wake.example:443", "127.0.0.1:0", "[::1]:80", "[2001:db8::1]:8300"])
    func `an authority is a host and a port`(text: String) throws {
        let authority = try #require(Authority(text))
        #expect("\(authority.host):\(authority.port)" == text)
    }

    @Test(arguments: ["::1:80", "2001:db8::1:80", "[::1:80", "::1]:80", "a:b:80", ":80", "h:080"])
    func `an IPv6 address stands in brackets`(text: String) {
        #expect(Authority(text) == nil)
    }
}
