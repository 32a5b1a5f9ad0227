import Foundation
import Harness
import SyncCore
import Testing

@testable import SyncCore
@testable import SyncServer

/// The server's TLS and the device's, against each other.
@Suite(.hangLimit) struct TLSTests {
    private let folder: TestFolder

    init() throws {
        folder = try TestFolder()
    }

    private func identity(_ certificate: String, _ key: String) throws -> TLSIdentity {
        let (first, second) = (folder.path + "/certificate.pem", folder.path + "/key.pem")
        try certificate.write(toFile: first, atomically: true, encoding: .utf8)
        try key.write(toFile: second, atomically: true, encoding: .utf8)
        return try TLSIdentity(certificate: first, key: second)
    }

    private func selfMade() throws -> TLSIdentity {
        let key = TLSIdentity.makeKey()
        let certificate = try #require(TLSIdentity.makeCertificate(for: key))
        return try identity(
            String(decoding: certificate, as: UTF8.self),
            String(decoding: key, as: UTF8.self)
        )
    }

    /// Runs `body` with a listener that counts the requests that reach it.
    private func serving(
        _ tls: TLSContext,
        _ body: (_ authority: String, _ arrived: Locked<Int>) async throws -> Void
    ) async throws {
        let arrived = Locked(0)
        let loop = EventLoop()
        var settings = Listener.Settings.test()
        unsafe settings.makeSession = tls.makeSession
        let listener = try await Listener(
            on: loop,
            address: "127.0.0.1:0",
            settings: settings,
            responder: TestResponder { _ in
                arrived.withLock { $0 += 1 }
                return HTTPResponse(204)
            }
        )
        try await body("127.0.0.1:\(listener.port)", arrived)
        await listener.stop()
        await loop.stop()
    }

    /// Sends a request, which must be answered.
    private func send(over transport: HTTPTransport) async throws {
        let response = try await transport.send(HTTPRequest("POST", "/", body: [1, 2, 3]))
        #expect(response.status == 204)
    }

    /// The same over a connection of its own.
    private func send(to authority: String, _ trust: ServerTrust) async throws {
        try await send(over: HTTPTransport(authority: authority, trust: trust))
    }

    @Test func `the key that was pinned is the server`() async throws {
        let tls = try TLSContext(try selfMade())
        #expect(tls.trust == .pinned(tls.pin))
        try await serving(tls) { authority, arrived in
            try await send(to: authority, tls.trust)
            #expect(arrived.withLock { $0 } == 1)
        }
    }

    @Test func `a pinned key is good although its certificate expired and has another name`()
        async throws
    {
        let tls = try TLSContext(
            try identity(TestCertificates.expired, TestCertificates.expiredKey)
        )
        #expect(tls.trust == .pinned(tls.pin))
        try await serving(tls) { authority, _ in
            try await send(to: authority, tls.trust)
        }
    }

    @Test func `another key is refused before anything is sent`() async throws {
        let tls = try TLSContext(try selfMade())
        let other = try TLSContext(try selfMade())
        try await serving(tls) { authority, arrived in
            for trust in [other.trust, .pinned(.zero)] {
                await #expect(throws: TransportError.wrongKey(authority: authority)) {
                    try await send(to: authority, trust)
                }
            }
            #expect(arrived.withLock { $0 } == 0)
        }
    }

    @Test func `authorities do not vouch for what the server made itself`() async throws {
        let tls = try TLSContext(try selfMade())
        try await serving(tls) { authority, arrived in
            let error = await #expect(throws: TransportError.self) {
                try await send(to: authority, .authorities)
            }
            let reason = "SSL certificate problem: self-signed certificate"
            #expect(error == .notTrusted(authority: authority, reason: reason))
            #expect(arrived.withLock { $0 } == 0)
        }
    }

    @Test func `a certificate of an authority is good for its own host`() async throws {
        let file = folder.path + "/authority.pem"
        try TestCertificates.authority.write(toFile: file, atomically: true, encoding: .utf8)
        let good = try TLSContext(try identity(TestCertificates.leaf, TestCertificates.leafKey))
        #expect(good.trust == .authorities)
        try await serving(good) { authority, _ in
            let transport = HTTPTransport(authority: authority, authoritiesFile: file)
            try await send(over: transport)
        }
        let other = try TLSContext(try identity(TestCertificates.other, TestCertificates.otherKey))
        try await serving(other) { authority, arrived in
            let transport = HTTPTransport(authority: authority, authoritiesFile: file)
            let error = await #expect(throws: TransportError.self) {
                try await transport.send(HTTPRequest("GET", "/"))
            }
            guard case .notTrusted(authority, let reason) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(reason.contains("127.0.0.1"))
            #expect(arrived.withLock { $0 } == 0)
        }
    }

    @Test func `a plain request to a server with TLS gets no answer`() async throws {
        let tls = try TLSContext(try selfMade())
        try await serving(tls) { authority, arrived in
            await #expect(throws: TransportError.noHTTP(authority: authority)) {
                try await send(to: authority, .plain)
            }
            #expect(arrived.withLock { $0 } == 0)
        }
    }

    @Test func `another certificate is for new connections, and old ones go on`() async throws {
        let tls = try TLSContext(try selfMade())
        let before = tls.trust
        try await serving(tls) { authority, arrived in
            let old = HTTPTransport(authority: authority, trust: before)
            try await send(over: old)
            try tls.reload(try selfMade())
            #expect(tls.trust != before)
            try await send(over: old)
            try await send(to: authority, tls.trust)
            await #expect(throws: TransportError.wrongKey(authority: authority)) {
                try await send(to: authority, before)
            }
            #expect(arrived.withLock { $0 } == 3)
        }
    }

    @Test func `a bad certificate leaves the old one in place`() async throws {
        let tls = try TLSContext(try selfMade())
        let before = tls.trust
        try await serving(tls) { authority, _ in
            #expect(throws: TLSError.self) {
                try tls.reload(try identity(TestCertificates.leaf, TestCertificates.otherKey))
            }
            #expect(tls.trust == before)
            try await send(to: authority, before)
        }
    }

    /// Client hellos that offer one version and no extensions: 3.2 is TLS 1.1, 3.3 is TLS 1.2.
    @Test(arguments: [(UInt8(2), true), (3, false)])
    func `TLS 1_1 is refused`(minor: UInt8, isRefused: Bool) async throws {
        let suites: [UInt8] = [0xc0, 0x13, 0xc0, 0x09, 0xc0, 0x2b, 0xc0, 0x2f]
        let body =
            [3, minor] + [UInt8](repeating: 7, count: 32) + [0, 0, UInt8(suites.count)] + suites
            + [1, 0]
        let hello = [1, 0, 0, UInt8(body.count)] + body
        try await serving(try TLSContext(try selfMade())) { authority, _ in
            let port = try #require(Authority(authority)?.port)
            let client = try RawClient(port: Int(port))
            client.send([22, 3, 1, 0, UInt8(hello.count)] + hello)
            client.shutDown()
            let answer = await client.receiveBytes()
            // A fatal alert, protocol_version (RFC 5246, section 7.2.2).
            #expect(answer.starts(with: [21, 3, minor, 0, 2, 2, 70]) == isRefused, "\(answer)")
            #expect(!answer.isEmpty)
        }
    }
}

/// Files that are no certificate and key.
extension TLSTests {
    private func error(_ certificate: String, _ key: String) throws -> TLSError? {
        let error = #expect(throws: TLSError.self) {
            try TLSContext(try identity(certificate, key))
        }
        return error
    }

    /// A PKCS #8 key (RFC 5208) on the curve P-256 with one flipped bit in its private half (RFC 5915).
    private func damaged(_ pem: String) throws -> String {
        let lines = pem.split(separator: "\n")
        let text = lines.dropFirst().dropLast().joined()
        var key = Array(try #require(Data(base64Encoded: text)))
        key[40] ^= 1
        let coded = Data(key).base64EncodedString(options: .lineLength64Characters)
        return [String(lines[0]), coded, String(lines[lines.count - 1])].joined(separator: "\n")
            + "\n"
    }

    @Test func `each fault of certificate and key has a name`() throws {
        let (certificate, key) = (folder.path + "/certificate.pem", folder.path + "/key.pem")
        let (leaf, leafKey) = (TestCertificates.leaf, TestCertificates.leafKey)
        #expect(
            try error(leaf, TestCertificates.otherKey)
                == .mismatch(certificate: certificate, key: key)
        )
        let wrongOrder = TestCertificates.authority + leaf
        #expect(try error(wrongOrder, leafKey) == .mismatch(certificate: certificate, key: key))
        #expect(try error(leaf, try damaged(leafKey)) == .damagedKey(path: key))
        #expect(try error(leaf, TestCertificates.encryptedKey) == .encryptedKey(path: key))
        #expect(try error(leaf, leaf) == .noKey(path: key))
        #expect(try error(leaf, String(leafKey.dropLast(60))) == .noKey(path: key))
        #expect(try error(leafKey, leafKey) == .noCertificate(path: certificate))
        #expect(try error("\0", leafKey) == .noCertificate(path: certificate))
        let damaged = leaf + TestCertificates.authority.dropLast(80)
        #expect(try error(damaged, leafKey) == .noCertificate(path: certificate))
        #expect(try error("", leafKey) == .empty(path: certificate))
        #expect(try error(leaf, "") == .empty(path: key))
    }

    @Test func `a chain is taken whole, and a file with key and certificate for both`() throws {
        let chain = TestCertificates.leaf + TestCertificates.authority
        let both = TestCertificates.leafKey + chain
        for (certificate, key) in [(chain, TestCertificates.leafKey), (both, both)] {
            #expect(try TLSContext(try identity(certificate, key)).trust == .authorities)
        }
    }

    @Test func `a file that cannot be read is named with its reason`() throws {
        let path = folder.path + "/none.pem"
        #expect(throws: TLSError.unreadable(path: path, code: ENOENT)) {
            try TLSIdentity(certificate: path, key: path)
        }
        #expect(throws: TLSError.unreadable(path: folder.path, code: EISDIR)) {
            try TLSIdentity(certificate: folder.path, key: path)
        }
        let long = folder.path + "/long.pem"
        let padding = String(repeating: "\n", count: 1 << 20)
        try (TestCertificates.leaf + padding).write(toFile: long, atomically: true, encoding: .utf8)
        #expect(throws: TLSError.tooLarge(path: long)) {
            try TLSIdentity(certificate: long, key: path)
        }
    }
}
