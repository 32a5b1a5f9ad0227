import ProgramKit
import Testing

@testable import SyncServer

@Suite struct ConfigurationTests {
    private func serve(_ words: String...) throws -> Configuration.Serve {
        try Self.serve(words)
    }

    private static func serve(_ words: [String]) throws -> Configuration.Serve {
        let arguments = try Request<ServerContext>.arguments(["serve"] + words)
        return try Configuration.Serve(arguments, data: "d")
    }

    @Test func `TLS with a key of the server's own is the default`() throws {
        let plain = try serve()
        #expect(plain.encryption == .own)
        #expect(plain.listen == "127.0.0.1:8300")
        #expect(plain.health == "127.0.0.1:8301")
        #expect(try serve("--listen", "0.0.0.0:443").encryption == .own)
    }

    @Test func `a certificate comes with its key`() throws {
        let given = Configuration.Encryption.given(certificate: "c", key: "k")
        #expect(try serve("--certificate", "c", "--key=k").encryption == given)
        #expect(throws: UsageError.missing("--key", command: "serve")) {
            try serve("--certificate", "c")
        }
        #expect(throws: UsageError.missing("--certificate", command: "serve")) {
            try serve("--key", "k")
        }
    }

    @Test(arguments: ["127.0.0.1:0", "127.1.2.3:80", "localhost:8300", "[::1]:8300"])
    func `plain HTTP is for loopback`(address: String) throws {
        #expect(try serve("--plain", "--listen", address).encryption == .plain)
    }

    @Test(arguments: ["0.0.0.0:80", "[::]:80", "192.0.2.1:80", "wake.example:80", "127.example:1"])
    func `plain HTTP is for nowhere else without a proxy`(address: String) throws {
        let error = ConfigurationError.plainElsewhere(address)
        #expect(throws: error) { try serve("--plain", "--listen", address) }
        #expect(throws: error) { try serve("--plain", "--authority", address) }
        let proxied = try serve("--listen", address, "--proxy", "192.0.2.7")
        #expect(proxied.encryption == .plain)
        #expect(proxied.proxy == PeerAddress("192.0.2.7"))
        #expect(try serve("--plain", "--proxy", "192.0.2.7").proxy == proxied.proxy)
    }

    @Test(arguments: [["--plain"], ["--proxy", "192.0.2.7"]])
    func `who does not encrypt needs no certificate`(words: [String]) {
        for file in ["--certificate", "--key"] {
            let error = ConfigurationError.notTogether(words[0], "--certificate and --key")
            #expect(throws: error) {
                try Self.serve([file, "f"] + words)
            }
        }
    }

    @Test func `the operators' listener stays on the machine`() throws {
        #expect(throws: ConfigurationError.healthElsewhere("0.0.0.0:1")) {
            try serve("--health", "0.0.0.0:1")
        }
        #expect(throws: ConfigurationError.sameAddress("127.0.0.1:9")) {
            try serve("--listen", "127.0.0.1:9", "--health", "127.0.0.1:9")
        }
        #expect(try serve("--health", "none").health == nil)
        #expect(try serve("--health", "[::1]:9").health == "[::1]:9")
    }

    @Test(arguments: ["0.0.0.0:08300", "0.0.0.0:+8300", "[::]:00", "127.0.0.1:08300"])
    func `what is not encrypted is nowhere that only the listener can read`(address: String) throws
    {
        let error = ConfigurationError.notAuthority(address)
        #expect(throws: error) { try serve("--plain", "--listen", address) }
        #expect(throws: error) { try serve("--health", address) }
        #expect(try serve("--health", "127.0.0.1:0").health == "127.0.0.1:0")
    }

    @Test(arguments: ["h", "h:", ":1", "h:0", "h:65536", "h:01", "u@h:1", "h:1/x", "h h:1"])
    func `what devices call the server is host and port`(text: String) {
        #expect(throws: ConfigurationError.notAuthority(text)) { try serve("--authority", text) }
        #expect(throws: ConfigurationError.notAuthority(text)) {
            try Request<ServerContext>.arguments(["invite", "Ann", "--authority", text]).authority()
        }
    }

    @Test(arguments: ["-1", "1048577", "x", ""])
    func `the reserve is a number of MiB`(text: String) throws {
        #expect(try serve("--reserve", "0").reserveMebibytes == 0)
        let error = UsageError.notInRange(option: "--reserve", value: text, range: 0...1_048_576)
        #expect(throws: error) { try serve("--reserve=\(text)") }
    }

    @Test(arguments: ["wake.example", "192.0.2.1:80", "", "192.0.2"])
    func `the proxy is an address`(text: String) {
        #expect(throws: ConfigurationError.badProxy(text)) { try serve("--proxy", text) }
    }
}
