import Testing

/// The rules find what is bad and leave alone what is good.
@Suite struct RulesTests {
    private static let core = "Sources/SyncCore/Clock/Bad.swift"

    private static let explained = "Sources/SyncServer/HTTP/Locked.swift"

    /// A text in a file, and whether a rule should speak.
    struct Case: CustomTestStringConvertible, Sendable {
        let text: String
        var path = core
        var isBad = true

        var testDescription: String { text }
    }

    private static let cases = [
        Case(text: "let x = try! read()"),
        Case(text: "let x = y as! Int"),
        Case(text: "struct X: @unchecked Sendable {}"),
        Case(text: "nonisolated(unsafe) var x = 1"),
        Case(text: "nonisolated(unsafe) var x = 1", path: explained),
        Case(text: "nonisolated(unsafe) var x = 1\n// No lock: …", path: explained, isBad: false),
        Case(text: "Task.detached {}"),
        Case(text: "DispatchQueue.global().async {}"),
        Case(text: "fatalError()"),
        Case(text: "print(1)"),
        Case(text: "blueprint(1)", isBad: false),
        Case(text: "let now = Date()"),
        Case(text: "let x = 1  // TO" + "DO: more"),
        Case(text: "@Suite(.timeLimit(.minutes(1))) struct A {}", path: "Tests/A.swift"),
        Case(text: "try await Task.sleep(for: .seconds(1))", path: "Tests/A.swift"),
        Case(text: "// MARK: - Heading"),
        Case(text: "// never try! this", isBad: false),
        Case(text: "/* as! /* nested */ try! */ let x = 1", isBad: false),
        Case(text: #"let x = "try! and as!""#, isBad: false),
        Case(text: ##"let x = #"a "quoted" try! "#"##, isBad: false),
        Case(text: "let x = \"\"\"\n    try! this\n    \"\"\"", isBad: false),
        Case(text: #"let x = "a \(try! read("b")) c""#),
        Case(text: "internal import Foundation"),
        Case(text: "internal import FoundationEssentials"),
        Case(text: "internal import CSQLite"),
        Case(
            text: "internal import CSQLite",
            path: "Sources/SyncCore/SQLite/A.swift",
            isBad: false
        ),
        Case(text: #"execute("SELECT a FROM b WHERE c = \(c)")"#),
        Case(text: "execute(\n    \"insert into b values (\\(c))\"\n)"),
        Case(text: #"execute("UPDATE b SET c = \(c)")"#),
        Case(text: #"execute("delete from \(table)")"#),
        Case(text: #"execute("CREATE UNIQUE INDEX a ON \(table)(b)")"#),
        Case(text: #"execute("PRAGMA user_version=\(version)")"#, isBad: false),
        Case(text: #"run("SELECT a FROM b WHERE c = \(c)")"#, isBad: false),
        Case(text: #"fail("select one of \(names)")"#, isBad: false),
        Case(text: "if tag == other {", path: "Sources/SyncCore/Keys/A.swift"),
        Case(text: "guard expected != self.tag else {", path: "Sources/SyncCore/Keys/A.swift"),
        Case(text: "if outerMAC == given {", path: "Sources/SyncServer/Auth/A.swift"),
        Case(text: "if tag == 24 {", path: "Sources/SyncCore/Keys/A.swift", isBad: false),
        Case(text: "if stage == other {", path: "Sources/SyncCore/Keys/A.swift", isBad: false),
    ]

    @Test(arguments: cases)
    func `a rule speaks exactly when it should`(given: Case) {
        let findings = Rules.findings(in: Source(path: given.path, text: given.text))
        #expect(findings.isEmpty != given.isBad, "\(findings)")
    }

    @Test func `a finding names path, line and remedy`() {
        let source = Source(path: Self.core, text: "let a = 1\nlet b = try! c()\n")
        #expect(
            Rules.findings(in: source).map(\.description) == [
                "\(Self.core):2: 'try!': throw the error"
            ]
        )
    }

    @Test(arguments: [(40, 0), (41, 1)])
    func `a function of the sources may be forty lines long`(lines: Int, findings: Int) {
        let body = String(repeating: "    step()\n", count: lines - 3)
        let text = "func f(\n) {\n\(body)}\n"
        #expect(Rules.lengths(Source(path: Self.core, text: text)).count == findings)
    }

    @Test(arguments: [(400, 0), (401, 1)])
    func `a file may be four hundred lines long`(lines: Int, findings: Int) {
        let text = String(repeating: "let a = 1\n", count: lines)
        #expect(Rules.lengths(Source(path: Self.core, text: text)).count == findings)
    }

    @Test func `a kind of data that nobody registered, or that generic code names, is found`() {
        let registry = Source(path: House.registry, text: "[\n    .track,\n]\n")
        let declared = Source(
            path: "Sources/SyncCore/Tracks/A.swift",
            text: "static let track = CollectionSchema(\nstatic let gear = CollectionSchema(\n"
        )
        let engine = Source(
            path: "Sources/SyncCore/Replica/Log/Engine.swift",
            text: """
                let a = TrackField.name
                let b = Key("place", row, field)
                let c = CollectionSchema.place.name
                let d = collections[key.collection]
                let e = try await library.row(word, in: .track, list: "")

                """
        )
        let declarations = Declarations([registry, declared, engine])
        #expect(declarations.unregistered.map(\.line) == [2])
        #expect(declarations.namedInGenericCode.map(\.line) == [1, 2, 3, 5])
    }

    @Test func `a broken link is found, code and other sites are not looked at`() {
        let links = Links(
            path: "docs/A.md",
            text: "[a](B.md#part) [b](../README.md)\n[c](gone.md) [d](https://a.b/c) [e](#x)\n"
                + "```\n[f](gone.md)\n```\n"
        )
        let found = links.broken { ["docs/B.md", "README.md"].contains($0) }
        #expect(found.map(\.description) == ["docs/A.md:2: no file at docs/gone.md"])
    }
}
