import ProgramKit
import SyncCore
import Testing

@testable import SyncCLI

@Suite struct TrackFileNameTests {
    private static let hostile = [
        "../../x", "..\\..\\x", "%2e%2e%2f", "a\u{0}b", "CON", "con.txt", "NUL", ".hidden", "-rf",
        String(repeating: "n", count: 300), "\u{202e}gpx.exe", "/etc/passwd", "a/b", "a:b", "~",
        "*?<>|\"'", "line\nbreak", "\u{1b}[31m", "🚣", "", "   ", "...", "a.", "$(reboot)", "`x`",
        String(repeating: "岬", count: 300), "a" + String(repeating: "\u{301}", count: 300),
        "\u{3164}\u{200B}\u{FE0F}", "\u{301}", "．．／x", "x\u{200D}y", "\u{1D173}\u{E0041}",
        "\u{E000}\u{10FFFF}", "-\u{301}", "٣",
    ]

    @Test(arguments: hostile)
    func `any name makes a name for a file`(title: String) throws {
        for day in ["2026-05-01", nil, "-0001-02-03", "../.."] {
            let stem = TrackFileName.stem(day: day, title: title, id: "7zetdve5")
            #expect(stem.allSatisfy { $0.isLetter || $0.isNumber || "._-".contains($0) })
            let isHarmless = stem.unicodeScalars.allSatisfy {
                !$0.isUnsafeOnTerminal && !$0.properties.isDefaultIgnorableCodePoint
            }
            #expect(isHarmless, "\(stem.unicodeScalars.map(\.value))")
            let first = try #require(stem.first)
            #expect(first.isNumber || stem.hasPrefix("track"))
            #expect(stem.hasSuffix("7zetdve5"))
            let isASCII = title.utf8.allSatisfy { $0 < 128 }
            #expect(stem.utf8.count <= 100 || !isASCII)
            #expect(stem.utf8.count <= 255 - 26 - "-partial.geojson".utf8.count)
            #expect(!stem.contains(".."), "\(stem)")
        }
    }

    @Test(
        arguments: [
            ("To the lighthouse", "2026-05-01-To-the-lighthouse-7zetdve5"),
            ("Ä & B", "2026-05-01-Ä-B-7zetdve5"), ("CON", "2026-05-01-CON-7zetdve5"),
            ("../../x", "2026-05-01-x-7zetdve5"), ("🚣", "2026-05-01-7zetdve5"),
            ("v1.2_b", "2026-05-01-v1.2_b-7zetdve5"),
            ("Вокруг маяка", "2026-05-01-Вокруг-маяка-7zetdve5"),
            ("灯台へ", "2026-05-01-灯台へ-7zetdve5"), ("हिन्दी", "2026-05-01-हिन्दी-7zetdve5"),
            ("🚣 到着", "2026-05-01-到着-7zetdve5"),
        ]
    )
    func `what can stay of a name stays`(title: String, stem: String) {
        #expect(TrackFileName.stem(day: "2026-05-01", title: title, id: "7zetdve5") == stem)
    }

    @Test func `a letter keeps the mark that was written after it`() {
        let stem = TrackFileName.stem(day: nil, title: "Cafe\u{301} \u{E9}", id: "7zetdve5")
        #expect(Array(stem.utf8) == Array("track-Cafe\u{301}-\u{E9}-7zetdve5".utf8))
    }

    @Test func `the name of a file that was imported has room for what follows`() {
        let long = String(repeating: "岬", count: 300)
        let name = TrackFileName.name(ofFile: "\(long).\(long)", Digest(of: [1]))
        #expect(name.utf8.count <= 230)
        #expect(TrackFileName.name(ofFile: "день.gpx", Digest(of: [1])).hasPrefix("день-"))
    }

    @Test func `without a day a track is called one`() {
        #expect(TrackFileName.stem(day: nil, title: "CON", id: "7zetdve5") == "track-CON-7zetdve5")
        #expect(TrackFileName.stem(day: nil, title: nil, id: "7zetdve5") == "track-7zetdve5")
    }
}
