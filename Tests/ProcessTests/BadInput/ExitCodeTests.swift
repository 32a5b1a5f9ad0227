import Foundation
import Harness
import Testing

/// What the programs end with, as their help and the README tell it.
@Suite(.processes) struct ExitCodeTests {
    private static let readme = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../README.md")

    /// The table of a help: a line a code.
    private func codes(of program: BuiltProgram, at site: Site) async throws -> [Int: String] {
        let help = try await site.start(program.path, ["--help"]).finish().checked().output
        let table = try #require(help.firstMatch(of: /exit codes:\n((  \d  .*\n)+)/)).output.1
        return table.matches(of: /(\d)  (.*)\n/).reduce(into: [:]) { codes, line in
            codes[Int(line.output.1) ?? -1] = String(line.output.2)
        }
    }

    @Test func `the README has the exit codes that the programs tell`() async throws {
        let site = try Site()
        let wake = try await codes(of: .wake, at: site)
        let server = try await codes(of: .server, at: site)
        let text = try String(contentsOf: Self.readme, encoding: .utf8)
        let rows = (0...6).map { "| \($0) | \(wake[$0] ?? "–") | \(server[$0] ?? "–") |" }
        #expect(text.contains(rows.joined(separator: "\n")), "\(rows)")
    }

    @Test func `a server's commands end with the codes of its help`() async throws {
        let site = try Site()
        let data = site.path + "/server"
        try await site.serving { _ in }
        let taken = try site.file("taken", "text")
        for (words, code) in [
            (["backup", site.path + "/new"], 0), (["doctor"], 0),
            (["backup", site.path + "/none/new"], 1), (["restore", taken], 1),
            (["backup"], 2), (["bakcup", "new"], 2), (["restore", site.path + "/none"], 3),
            (["backup", taken], 4),
        ] as [([String], Int32)] {
            let all = words + ["--data", data]
            let outcome = try await site.start(BuiltProgram.server.path, all).finish()
            #expect(outcome.code == code, "\(words): \(outcome.errors)")
        }
        try Data("text".utf8).write(to: URL(filePath: data + "/store.db"))
        let doctor = try await site.start(BuiltProgram.server.path, ["doctor", "--data", data])
            .finish()
        #expect(doctor.code == 1, "\(doctor.output)")
    }
}
