import Testing

@testable import ProgramKit

@Suite struct ArgumentsTests {
    private static let commands: [Command<TestContext>] = [
        Command("import", "FILE...", summary: "read files") { _, _ in .success },
        Command(
            "tracks rename",
            "ID NAME",
            summary: "rename a track",
            options: [Option("--seed N", "a number"), Option("--force", "really")]
        ) { _, _ in .success },
        Command("export", "[TRACK]", summary: "write a file") { _, _ in .notFound },
    ]

    private static func arguments(_ line: String) throws -> Arguments {
        let request = try Request(
            line.split(separator: " ").map(String.init),
            of: .test(commands)
        )
        guard case .run(_, let arguments) = request else { return Arguments() }
        return arguments
    }

    @Test(arguments: [
        "tracks rename a b --force --seed 3",
        "--force=no tracks rename a b",
        "tracks --seed=3 rename",
        "tracks rename a --seed=3 b --force",
        "--json tracks rename --force --seed 1 --seed 3 a b",
    ])
    func `options may stand anywhere after their command`(line: String) throws {
        guard let arguments = try? Self.arguments(line) else {
            #expect(line.hasPrefix("--force") || line.contains("--seed=3 rename"))
            return
        }
        #expect(arguments.required("ID") == "a")
        #expect(arguments.required("NAME") == "b")
        #expect(arguments.flag("--force"))
        #expect(try arguments.integer("--seed", in: 0...9) == 3)
    }

    @Test(arguments: [
        ("import a b c", ["a", "b", "c"]),
        ("import -", ["-"]),
        ("import -- --odd -x", ["--odd", "-x"]),
        ("import -1.5", ["-1.5"]),
    ])
    func `a repeated positional takes all words`(line: String, files: [String]) throws {
        #expect(try Self.arguments(line).list("FILE") == files)
    }

    @Test func `an optional positional may be left out`() throws {
        #expect(try Self.arguments("export").optional("TRACK") == nil)
        #expect(try Self.arguments("export a").optional("TRACK") == "a")
    }

    @Test(
        arguments: [
            ("trakcs list", .unknownCommand(["trakcs"], nearest: "tracks")),
            ("tracks renam a b", .unknownCommand(["tracks", "renam"], nearest: "rename")),
            ("something", .unknownCommand(["something"], nearest: nil)),
            ("export --jsno", .unknownOption("--jsno", nearest: "--json")),
            ("export --seed 1", .unknownOption("--seed", nearest: nil)),
            ("export -x", .unknownOption("-x", nearest: nil)),
            ("export --data", .missingValue(option: "--data")),
            ("export --json=1", .unexpectedValue(option: "--json")),
            ("import", .missing("FILE", command: "import")),
            ("tracks rename a", .missing("NAME", command: "tracks rename")),
            ("export a b", .surplus("b", command: "export")),
        ] as [(String, UsageError)]
    )
    func `what is not understood is named`(line: String, error: UsageError) {
        #expect(throws: error) { try Self.arguments(line) }
    }

    @Test(arguments: ["x", "10", "-1", "1.5", ""])
    func `a number must be whole and in range`(text: String) throws {
        let arguments = try Self.arguments("tracks rename a b --seed=\(text)")
        #expect(throws: UsageError.notInRange(option: "--seed", value: text, range: 0...9)) {
            try arguments.integer("--seed", in: 0...9)
        }
    }

    @Test(
        arguments: [
            ("", []), ("--help", []), ("tracks", ["tracks"]), ("tracks --help", ["tracks"]),
            ("tracks rename -h", ["tracks", "rename"]), ("import --help", ["import"]),
        ] as [(String, [String])]
    )
    func `help is there for the program, a noun and a command`(
        line: String,
        path: [String]
    ) throws {
        let words = line.split(separator: " ").map(String.init)
        guard case .help(let found) = try Request(words, of: .test(Self.commands)) else {
            Issue.record("no help for '\(line)'")
            return
        }
        #expect(found == path)
        #expect(Help(of: .test(Self.commands)).text(for: found).contains("--json"))
    }

    @Test func `the exit code is the command's or the error's`() async {
        let test = TestContext()
        let program = Program.test(Self.commands)
        #expect(await program.run(["export"], in: test) == .notFound)
        #expect(await program.run(["exprot"], in: test) == .usage)
        #expect(
            test.errors.take()
                == "wake: error: unknown command 'exprot'\nwake: hint: did you mean 'wake export'?\n"
        )
    }
}
