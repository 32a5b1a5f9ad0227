import Foundation
import Testing

/// Links that are used twice, cut, changed, or point to the wrong place.
@Suite(.timeLimit(.minutes(2))) struct WrongLinkTests {
    @Test func `each wrong link is told in words, and the right one works afterwards`()
        async throws
    {
        let site = try Site()
        try await site.serving { server in
            let link = try await site.invite()
            let boat = try await site.device("boat")
            let changed = String(link.dropLast()) + (link.hasSuffix("0") ? "1" : "0")
            for (wrong, code, words) in [
                (String(link.dropLast()), 2, "is no link"),
                (changed, 6, "was used, or has expired"),
                (link.replacingOccurrences(of: "wake:", with: "http:"), 2, "is no link"),
                (link.replacingOccurrences(of: server.address, with: "127.0.0.1:1"), 5, "reach"),
                (link.replacingOccurrences(of: server.address, with: "no.invalid:1"), 5, "reach"),
                (String(repeating: link, count: 100), 2, "is no link"),
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
            #expect(used.code == 6 && used.errors.contains("was used"), "\(used.errors)")
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
        let line = try await program.match(/health and metrics on http:\/\/(.*)\n/, in: \.output)
        let health = String(line.1)
        let boat = try await site.device("boat")
        let outcome = try await boat.run(
            "join",
            link.replacingOccurrences(of: server.address, with: health)
        )
        #expect(outcome.code == 3, "\(outcome.errors)")
        #expect(outcome.errors.contains("\(health) lets no device in"), "\(outcome.errors)")
        await server.kill()
    }
}
