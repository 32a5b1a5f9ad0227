import Testing
import ProgramKit

@Suite struct OutputTests {
    @Test(arguments: [
        ("plain", "plain"),
        ("a\u{1B}[31mred\u{1B}[0m", "ared"),
        ("\u{1B}]0;title\u{07}x", "x"),
        ("\u{1B}]8;;http://a\u{1B}\\x", "x"),
        ("\u{1B}Pdevice\u{1B}\\x", "x"),
        ("\u{9B}2Jx", "x"),
        ("two\r\nlines\tand", "two lines and"),
        ("bell\u{07}\u{7F}\u{00}", "bell"),
        ("\u{202E}evil\u{202C}", "evil"),
        ("unfinished \u{1B}[", "unfinished "),
        ("👩‍🚀 é", "👩‍🚀 é"),
    ])
    func `text from outside cannot steer the terminal`(text: String, safe: String) {
        let expected = safe == "two lines and" ? ["two lines and", "two  lines and"] : [safe]
        #expect(expected.contains(text.withoutControls))
    }

    @Test(arguments: [
        ("abc", 3), ("é", 1), ("e\u{301}", 1), ("日本", 4), ("한", 2), ("⛵️", 2), ("👩‍🚀", 2),
        ("🇩🇪", 2), ("▁█", 2), ("\u{1B}[1mx\u{1B}[0m", 1), ("", 0), ("…–", 2), ("Ａ", 2),
    ])
    func `the width counts columns`(text: String, width: Int) {
        #expect(text.displayWidth == width)
    }

    @Test(arguments: [("日本語", 5, "日本…"), ("日本語", 4, "日…"), ("abc", 3, "abc"), ("abc", 0, "")])
    func `a long text is shortened at a whole character`(text: String, width: Int, short: String) {
        #expect(text.shortened(to: width) == short)
    }

    @Test func `a table is aligned by display width`() {
        let table = Table(
            columns: [.left("name"), .right("distance"), .left("sport")],
            rows: [["日本", "1.20 km", "sailing"], ["e\u{301}\u{1B}[2J", "950 m", ""]]
        )
        #expect(
            table.text() == """
                name  distance  sport
                日本   1.20 km  sailing
                e\u{301}        950 m

                """
        )
    }

    @Test func `a table that is too wide takes it from its texts`() {
        let table = Table(
            columns: [.left("id"), .left("name"), .right("points")],
            rows: [["7k3m", "from the harbour to the lighthouse", "14263"]]
        )
        #expect(
            table.text(columns: 30) == """
                id    name              points
                7k3m  from the harbou…   14263

                """
        )
    }

    @Test(
        arguments: [
            (80, ["id", "date", "name", "sport", "distance"]),
            (42, ["id", "date", "name", "distance"]), (40, ["id", "date", "name", "distance"]),
        ] as [(Int, [String])]
    )
    func `a table that is too wide leaves out what matters less, and no date is shortened`(
        limit: Int,
        titles: [String]
    ) throws {
        let table = Table(
            columns: [
                .whole("id"), .whole("date"), .left("name"), .left("sport").ifThereIsRoom,
                .right("distance"),
            ],
            rows: [
                ["4gsjva0v", "2026-05-01", "To the lighthouse and back", "sailing", "12.34 km"]
            ]
        )
        let lines = table.text(columns: limit).split(separator: "\n")
        #expect(lines.map(String.init).allSatisfy { $0.displayWidth <= limit })
        #expect(lines[0].split(separator: " ").map(String.init) == titles)
        #expect(lines[1].hasPrefix("4gsjva0v  2026-05-01  To the"), "\(lines[1])")
        #expect(lines[1].hasSuffix("  12.34 km"), "\(lines[1])")
        #expect(lines[1].contains("sailing") == titles.contains("sport"))
    }

    @Test func `JSON keeps order, escapes controls and has no float noise`() {
        let value = JSON.object([
            ("b", .number(0.1 + 0.2, decimals: 3)),
            ("a", .array([.integer(-3), .bool(true), .null, .number(5, decimals: 1)])),
            ("t", .text("q\"\\\n\u{1B}é\u{202E}")),
            ("n", .number(.nan, decimals: 1)),
            ("z", .number(-0.01, decimals: 1)),
            ("e", .object([])),
        ])
        #expect(
            value.compact == #"{"b":0.3,"a":[-3,true,null,5],"#
                + #""t":"q\"\\\n\u001bé\u202e","n":null,"z":0,"e":{}}"#
        )
        #expect(JSON.object([("a", .array([.null]))]).indented == "{\n  \"a\": [\n    null\n  ]\n}")
    }

    @Test func `an error is one line and a hint`() {
        let test = TestContext()
        test.output.report(
            UserError.notFound("no track 'a\u{1B}[2J\n'", hint: "see 'wake tracks list'")
        )
        #expect(
            test.errors.take()
                == "wake: error: no track 'a '\nwake: hint: see 'wake tracks list'\n"
        )
    }

    @Test func `quiet silences notes, not results`() {
        let test = TestContext()
        var output = test.output
        output.isQuiet = true
        output.note("working")
        output.line("done")
        #expect(test.errors.take().isEmpty)
        #expect(test.written.take() == "done\n")
    }

    @Test func `a result is text or JSON`() {
        let test = TestContext()
        var output = test.output
        output.result(.object([("a", .integer(1))])) { "one\n" }
        #expect(test.written.take() == "one\n")
        output.isJSON = true
        output.result(.object([("a", .integer(1))])) { "one\n" }
        #expect(test.written.take() == "{\n  \"a\": 1\n}\n")
    }

    @Test func `fields are aligned and free of controls`() {
        let test = TestContext()
        test.output.fields([("name", "a\u{1B}[2Jb"), ("distance", "1.20 km")])
        #expect(test.written.take() == "name      ab\ndistance  1.20 km\n")
    }

    @Test func `colour is sent only where it may be`() {
        var output = TestContext().output
        #expect(output.styled("equal", .green) == "equal")
        output.isColoured = true
        #expect(output.styled("equal", .green) == "\u{1B}[32mequal\u{1B}[0m")
    }
}
