import Testing

@testable import SyncCLI

@Suite struct TrackFileNameTests {
    private static let hostile = [
        "../../x", "..\\..\\x", "%2e%2e%2f", "a\u{0}b", "CON", "con.txt", "NUL", ".hidden", "-rf",
        String(repeating: "n", count: 300), "\u{202e}gpx.exe", "/etc/passwd", "a/b", "a:b", "~",
        "*?<>|\"'", "line\nbreak", "\u{1b}[31m", "🚣", "", "   ", "...", "a.", "$(reboot)", "`x`",
    ]

    @Test(arguments: hostile)
    func `any name makes a name for a file`(title: String) throws {
        for day in ["2026-05-01", nil, "-0001-02-03", "../.."] {
            let stem = TrackFileName.stem(day: day, title: title, id: "7zetdve5")
            #expect(
                stem.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) }
            )
            let first = try #require(stem.first)
            #expect(first.isNumber || stem.hasPrefix("track"))
            #expect(stem.hasSuffix("7zetdve5"))
            #expect(stem.utf8.count <= 100)
            #expect(!stem.contains(".."), "\(stem)")
        }
    }

    @Test(
        arguments: [
            ("To the lighthouse", "2026-05-01-To-the-lighthouse-7zetdve5"),
            ("Ä & B", "2026-05-01-B-7zetdve5"), ("CON", "2026-05-01-CON-7zetdve5"),
            ("../../x", "2026-05-01-x-7zetdve5"), ("🚣", "2026-05-01-7zetdve5"),
            ("v1.2_b", "2026-05-01-v1.2_b-7zetdve5"),
        ]
    )
    func `what can stay of a name stays`(title: String, stem: String) {
        #expect(TrackFileName.stem(day: "2026-05-01", title: title, id: "7zetdve5") == stem)
    }

    @Test func `without a day a track is called one`() {
        #expect(TrackFileName.stem(day: nil, title: "CON", id: "7zetdve5") == "track-CON-7zetdve5")
        #expect(TrackFileName.stem(day: nil, title: nil, id: "7zetdve5") == "track-7zetdve5")
    }
}
