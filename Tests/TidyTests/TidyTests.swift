import Foundation
import Testing

/// Checks the text of this package against the house rules.
@Suite struct TidyTests {
    private static let sources = Result {
        try Source.all(under: "Sources") + Source.all(under: "Tests")
            + Source.all(under: "Benchmarks") + Source.all(under: "Fuzz")
            + Source.all(under: "Snippets")
    }

    @Test(arguments: try sources.get())
    func `a file keeps the house rules`(source: Source) {
        let findings = Rules.findings(in: source)
        #expect(findings.isEmpty, "\(Self.list(findings))")
    }

    @Test func `every kind of data is registered, and generic code names none`() throws {
        let declarations = Declarations(try Self.sources.get())
        let findings = declarations.unregistered + declarations.namedInGenericCode
        #expect(findings.isEmpty, "\(Self.list(findings))")
    }

    @Test(arguments: try Source.paths(under: ".", suffix: ".md"))
    func `every link within the repository leads somewhere`(path: String) throws {
        let text = try String(contentsOf: Source.root.appending(path: path), encoding: .utf8)
        let findings = Links(path: path, text: text).broken { target in
            FileManager.default.fileExists(atPath: Source.root.appending(path: target).path())
        }
        #expect(findings.isEmpty, "\(Self.list(findings))")
    }

    @Test func `every C module has a door, and every door is used`() throws {
        let folders = try FileManager.default.contentsOfDirectory(
            atPath: Source.root.appending(path: "Sources").path()
        )
        let modules = Set(folders.filter { $0.contains(/^C[A-Z]/) })
        let used = try Self.sources.get().filter { $0.path.hasPrefix("Sources/") }
            .flatMap { $0.imports.map(\.module) }
        #expect(modules == Set(House.doors.keys))
        #expect(modules.isSubset(of: used))
    }

    @Test func `every test that is named among the threats is there`() throws {
        let page = Source.root.appending(path: "docs/THREATS.md")
        let named = try String(contentsOf: page, encoding: .utf8).matches(of: /“([^”]+)”/)
            .map { String($0.output.1) }
        let tests = try Self.sources.get().filter { $0.path.hasPrefix("Tests/") }
        let missing = named.filter { name in
            !tests.contains { $0.lines.contains { $0.contains("func `\(name)`(") } }
        }
        #expect(named.count > 30 && missing.isEmpty, "\(missing)")
    }

    @Test func `the rules look at something`() throws {
        #expect(try Self.sources.get().count > 20)
    }

    private static func list(_ findings: [Finding]) -> String {
        findings.map(\.description).joined(separator: "\n")
    }
}
