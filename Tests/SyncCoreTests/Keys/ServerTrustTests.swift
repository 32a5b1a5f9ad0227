import Testing

@testable import SyncCore

@Suite struct ServerTrustTests {
    @Test func `a key is shown in 52 characters and read back`() throws {
        var generator = SplitMix64(seed: 5)
        for _ in 0..<100 {
            let bytes = Secret.random(using: &generator).bytes
            let trust = ServerTrust.pinned(try #require(Digest(bytes: bytes)))
            #expect(trust.description.count == 52)
            #expect(ServerTrust(trust.description) == trust)
        }
        let largest = try #require(Digest(bytes: [UInt8](repeating: 0xff, count: 32)))
        let text = "7" + String(repeating: "z", count: 25)
        #expect(ServerTrust.pinned(largest).description == text + text)
    }

    @Test(arguments: [ServerTrust.plain, .authorities, .pinned(.zero)])
    func `each kind is read as it was shown`(trust: ServerTrust) {
        #expect(ServerTrust(trust.description) == trust)
    }

    @Test(
        arguments: [
            "", "CA", "Plain", "ca ", "8" + String(repeating: "0", count: 51),
            String(repeating: "0", count: 26) + "8" + String(repeating: "0", count: 25),
            String(repeating: "o", count: 52), String(repeating: "0", count: 51),
            String(repeating: "0", count: 53), String(repeating: "é", count: 26),
        ]
    )
    func `anything else says nothing`(text: String) {
        #expect(ServerTrust(text) == nil)
    }
}
