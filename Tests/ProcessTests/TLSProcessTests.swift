import Foundation
import Harness
import SyncCore
import Testing

@testable import SyncServer

/// Who the server is, as devices and operators see it.
@Suite(.processes) struct TLSProcessTests {
    private struct Status: Decodable {
        let trust: String
        let queued: Int
    }

    /// Puts the files of the server's own key aside, or back.
    private func move(_ site: Site, aside isAside: Bool) throws {
        for name in ["tls.key", "tls.crt"] {
            let (live, kept) = ("\(site.path)/server/\(name)", "\(site.path)/\(name)")
            if !isAside { try FileManager.default.removeItem(atPath: live) }
            try FileManager.default.moveItem(
                atPath: isAside ? live : kept,
                toPath: isAside ? kept : live
            )
        }
    }

    @Test func `a server with another key is told nothing, and the work stays queued`()
        async throws
    {
        let site = try Site()
        let server = try await site.startServer()
        let (boat, phone) = try await site.pair()
        await server.kill()
        try move(site, aside: true)
        let other = try await site.startServer(at: server.address)
        try await boat("import", try site.file("a.gpx", Inputs.gpx(name: "a", points: 10)))
        let refused = try await boat.run("sync")
        #expect(refused.code == 6)
        #expect(refused.errors.contains("presented another key"))
        #expect(try await boat("status", "--json").json(Status.self).queued == 1)
        #expect(!other.program.errors.contains("\"bytes_in\""), "\(other.program.errors)")
        await other.kill()
        try move(site, aside: false)
        let again = try await site.startServer(at: server.address)
        for device in [boat, phone] { try await device("sync") }
        try await site.expectEqual(boat, phone)
        await again.kill()
    }

    @Test func `a new key of the server is taken from a new link alone`() async throws {
        let site = try Site()
        let server = try await site.startServer()
        let (boat, _) = try await site.pair()
        await server.kill()
        try move(site, aside: true)
        let other = try await site.startServer(at: server.address)
        #expect(try await boat.run("sync").code == 6)
        let link = try #require(Link(try await site.invite()))
        #expect(try await boat.run("join", link.description).code == 4)
        let plain = Link(authority: link.authority, secret: link.secret, trust: .plain)
        let forged = Link(
            authority: link.authority,
            secret: link.secret,
            trust: .pinned(Digest(of: [1]))
        )
        #expect(try await boat.run("join", "--new-key", plain.description).code == 4)
        #expect(try await boat.run("join", "--new-key", forged.description).code == 6)
        #expect(try await boat.run("sync").code == 6)
        try await boat("join", "--new-key", link.description)
        try await boat("sync")
        #expect(try await boat("status", "--json").json(Status.self).trust == "\(link.trust)")
        #expect(try await boat.run("join", link.description).code == 4)
        #expect(try #require(Link(try await boat.link())).trust == link.trust)
        await other.kill()
    }

    @Test func `plain HTTP stays on the machine, and TLS later is told from a lost network`()
        async throws
    {
        let site = try Site()
        let server = try await site.startServer(["--plain"])
        let (boat, phone) = try await site.pair()
        #expect(try await boat("status", "--json").json(Status.self).trust == "plain")
        await server.kill()
        let other = try await site.startServer(at: server.address)
        let refused = try await phone.run("sync")
        #expect(refused.code == 5)
        let words = "closed the connection without a response"
        #expect(refused.errors.contains(words), "\(refused.errors)")
        try await phone("join", "--new-key", try await site.invite())
        try await phone("sync")
        await other.kill()
        let plain = try await site.startServer(["--plain"], at: server.address)
        let untrusted = try await phone.run("sync")
        #expect(untrusted.code == 6)
        #expect(untrusted.errors.contains("does not use TLS"), "\(untrusted.errors)")
        await plain.kill()
    }

    @Test func `a link is the same whether the server runs or not`() async throws {
        let site = try Site()
        let server = try await site.startServer()
        let meanwhile = try #require(Link(try await site.invite()))
        await server.kill()
        let after = try #require(Link(try await site.invite()))
        #expect(after.trust == meanwhile.trust)
        #expect(after.authority == server.address)
        let proxied = try await site.startServer(["--proxy", "127.0.0.1"])
        await proxied.kill()
        #expect(try await site.invite().hasSuffix(".ca"))
    }

    @Test(arguments: Rounds.seeds(1))
    func `a server that was killed at its first start makes its key once`(
        seed: UInt64
    ) async throws {
        var generator = SplitMix64(seed: seed)
        let site = try Site()
        let key = site.path + "/server/tls.key"
        var made: Data?
        for _ in 0..<10 {
            let words = ["serve", "--data", site.path + "/server", "--listen", "127.0.0.1:0"]
            let program = try site.start(BuiltProgram.server.path, words + ["--health", "none"])
            let microseconds = Int.random(in: 0...60_000, using: &generator)
            try await Task.sleep(for: .microseconds(microseconds))
            program.send(SIGKILL)
            await program.finish()
            let found = FileManager.default.contents(atPath: key)
            #expect(made == nil || found == made)
            made = found
        }
        try await site.serving { _ in
            #expect(made == nil || FileManager.default.contents(atPath: key) == made)
            let boat = try await site.device("boat")
            try await boat("join", try await site.invite())
            try await boat("sync")
        }
    }
}

/// Certificates that the operator gives.
extension TLSProcessTests {
    /// Writes a key, and a certificate signed with it, over what was there.
    private func renew(_ site: Site) throws -> (certificate: String, key: String) {
        let key = TLSIdentity.makeKey()
        let certificate = try #require(TLSIdentity.makeCertificate(for: key))
        return (
            try site.file("server.crt", String(decoding: certificate, as: UTF8.self)),
            try site.file("server.key", String(decoding: key, as: UTF8.self))
        )
    }

    @Test func `SIGHUP reads the certificate again, and a bad one changes nothing`() async throws {
        let site = try Site()
        let (certificate, key) = try renew(site)
        let server = try await site.startServer(["--certificate", certificate, "--key", key])
        let first = try #require(Link(try await site.invite()))
        let boat = try await site.device("boat")
        try await boat("join", first.description)

        _ = try site.file("server.crt", "no certificate\n")
        server.program.send(SIGHUP)
        _ = try await server.program.match(
            /previous certificate remains in use\n/,
            "the refusal",
            in: \.errors
        )
        #expect(server.program.errors.contains("\(certificate) contains no valid certificate"))
        try await boat("sync")
        #expect(!server.program.errors.contains("warning"))

        _ = try renew(site)
        server.program.send(SIGHUP)
        _ = try await server.program.match(/reloaded: .*\n/, "the new certificate", in: \.output)
        _ = try await server.program.match(
            /warning: links now name another key/,
            "a warning",
            in: \.errors
        )
        let second = try #require(Link(try await site.invite()))
        #expect(second.trust != first.trust)
        #expect(try await boat.run("sync").code == 6)
        try await boat("join", "--new-key", second.description)
        try await boat("sync")
        server.program.send(SIGTERM)
        #expect(await server.program.finish().code == 0)
    }

    /// libcurl compares no key where there is none to compare, so such a server must not get so far.
    @Test(arguments: [["-tls1_2", "-nocert", "-cipher", "aNULL:@SECLEVEL=0"], ["-tls1_1"]])
    func `a server without a certificate, or with old TLS, is told nothing`(
        words: [String]
    ) async throws {
        let site = try Site()
        let (certificate, key) = try renew(site)
        let identity = ["-cert", certificate, "-key", key, "-cipher", "ALL:@SECLEVEL=0"]
        let program = try site.start(
            "/usr/bin/openssl",
            ["s_server", "-accept", "127.0.0.1:0", "-www"] + identity + words
        )
        let address = try await program.match(/ACCEPT (.*)\n/, "the address", in: \.output).1
        let trust = try TLSContext(try TLSIdentity(certificate: certificate, key: key)).trust
        let transport = HTTPTransport(authority: String(address), trust: trust)
        let error = await #expect(throws: TransportError.self) {
            try await transport.send(HTTPRequest("GET", "/"))
        }
        guard case .notTrusted = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test(
        arguments: [
            (["--certificate", "nowhere.crt", "--key", "nowhere.key"], Int32(1), "nowhere.crt"),
            (["--certificate", "/dev/null", "--key", "/dev/null"], 1, "/dev/null is empty"),
            (["--certificate", "a.crt"], 2, "--key is missing"),
            (["--plain", "--certificate", "a", "--key", "b"], 2, "cannot be used together"),
            (["--plain", "--listen", "0.0.0.0:0"], 2, "other machines can reach it"),
            (["--health", "0.0.0.0:0"], 2, "other machines can reach it"),
            (["--listen", "foo"], 2, "'foo' is not host:port"),
            (["--proxy", "wake.example"], 2, "'wake.example' is not an IP address"),
        ]
    )
    func `what would not be safe does not start`(
        words: [String],
        code: Int32,
        text: String
    ) async throws {
        let site = try Site()
        let program = try site.start(
            BuiltProgram.server.path,
            ["serve", "--data", site.path + "/server", "--listen", "127.0.0.1:0"] + words
        )
        let outcome = await program.finish()
        #expect(outcome.code == code)
        #expect(outcome.errors.contains(text), "\(outcome.errors)")
    }
}
