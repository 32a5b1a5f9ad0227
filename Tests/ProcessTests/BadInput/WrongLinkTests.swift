import Foundation
import Harness
import Testing

/// Links that are used twice, cut, changed, or point to the wrong place.
@Suite(.processes) struct WrongLinkTests {
    private static func parts(
        of link: String
    ) throws -> (stem: Substring, secret: Substring, key: Substring) {
        let parts = try #require(link.firstMatch(of: /(.*)#(.*)\.(.*)/)).output
        return (parts.1, parts.2, parts.3)
    }

    @Test func `each wrong link is told in words, and the right one works afterwards`()
        async throws
    {
        let site = try Site()
        try await site.serving { server in
            let link = try await site.invite()
            let boat = try await site.device("boat")
            let (stem, secret, key) = try Self.parts(of: link)
            let otherKey = key.dropLast() + (key.hasSuffix("0") ? "1" : "0")
            let otherSecret = secret.dropLast() + (secret.hasSuffix("0") ? "1" : "0")
            for (wrong, code, words) in [
                (String(link.dropLast()), 2, "is incomplete: its end is missing"),
                ("wake://box.", 2, "is incomplete: its end is missing"),
                // On this machine that is a whole link for plain HTTP.
                ("\(stem)#\(secret).", 5, "the link lost its end: copy it in full"),
                ("\(stem)#\(otherSecret).\(key)", 6, "already used or expired"),
                ("\(stem)#\(secret).\(otherKey)", 6, "presented another key"),
                ("\(stem)#\(secret).ca", 6, "is not trusted"),
                (link.replacingOccurrences(of: "wake:", with: "http:"), 2, "is not a link"),
                (link.replacingOccurrences(of: server.address, with: "127.0.0.1:1"), 5, "reach"),
                (link.replacingOccurrences(of: server.address, with: "no.invalid:1"), 5, "reach"),
                (String(repeating: link, count: 100), 2, "is not a link"),
            ] as [(String, Int32, String)] {
                let outcome = try await boat.run("join", wrong)
                #expect(outcome.code == code, "\(wrong): \(outcome.errors)")
                #expect(outcome.errors.contains(words), "\(wrong): \(outcome.errors)")
            }
            try await boat("join", " \u{201C}<\(link)>\u{201D}\r\n")
            try await boat("sync")
        }
    }

    @Test func `a link is good once, and a device joins one person`() async throws {
        let site = try Site()
        try await site.serving { _ in
            let link = try await site.invite()
            let boat = try await site.device("boat")
            try await boat("join", link)
            try await boat("sync")
            let phone = try await site.device("phone")
            let used = try await phone.run("join", link)
            #expect(used.code == 6 && used.errors.contains("already used"), "\(used.errors)")
            let again = try await boat.run("join", try await site.invite())
            #expect(again.code == 4 && again.errors.contains("joined"), "\(again.errors)")
            try await phone("join", try await boat.link())
            try await phone("sync")
        }
    }

    @Test func `the operators' port lets no device in, and says so`() async throws {
        let site = try Site()
        let program = try site.start(
            BuiltProgram.server.path,
            [
                "serve", "--data", site.path + "/server", "--listen", "127.0.0.1:0", "--health",
                "127.0.0.1:0",
            ]
        )
        let server = try await RunningServer(program, site: site)
        let link = try await site.invite()
        let health = try await program.match(
            /metrics on http:\/\/(.*)\n/,
            "the address",
            in: \.output
        ).1
        let boat = try await site.device("boat")
        let wrong = link.replacingOccurrences(of: server.address, with: String(health))
        let outcome = try await boat.run("join", wrong)
        #expect(outcome.code == 6, "\(outcome.errors)")
        #expect(outcome.errors.contains("not for operators"), "\(outcome.errors)")
        let (stem, secret, _) = try Self.parts(of: wrong)
        let plain = try await boat.run("join", "\(stem)#\(secret)")
        #expect(plain.code == 3, "\(plain.errors)")
        #expect(plain.errors.contains("\(health) does not enrol devices"), "\(plain.errors)")
        await server.kill()
    }
}
