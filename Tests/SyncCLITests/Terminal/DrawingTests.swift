import Testing

@testable import SyncCLI

@Suite struct DrawingTests {
    @Test func `two blocks stand beside each other`() {
        let both = SideBySide(left: "one\n日本語\n", right: "a\nb\nc\n")
        #expect(both.text() == "one      a\n日本語   b\n         c\n")
        #expect(both.text(columns: 9) == "one   a\n日…   b\n      c\n")
    }

    @Test func `a square is drawn as a square on the equator, with a scale`() {
        let corners = [(0.0, 0.0), (0.01, 0.0), (0.01, 0.01), (0.0, 0.01), (0.0, 0.0)]
        let line = corners.map { MapPlane.Position(latitude: $0.0, longitude: $0.1) }
        #expect(
            BrailleMap(lines: [line]).text(columns: 30, rows: 4)
                == """
                ⡏⠉⠉⠉⠉⠉⠉⢹
                ⡇⠀⠀⠀⠀⠀⠀⢸
                ⡇⠀⠀⠀⠀⠀⠀⢸
                x⣀⣀⣀⣀⣀⣀⣸
                ├─────┤ 1 km  north up  o start  x end

                """.replacing("⠀", with: " ")
        )
    }

    @Test func `a degree of longitude is half as wide at sixty degrees`() {
        let line = [(60.0, 0.0), (61.0, 1.0)].map {
            MapPlane.Position(latitude: $0.0, longitude: $0.1)
        }
        let rows = BrailleMap(lines: [line]).text(columns: 40, rows: 8).split(separator: "\n")
        #expect(rows.count == 9)
        #expect(rows[0].count == 8)
    }

    @Test func `a track over the antimeridian is not torn apart`() {
        let line = [(0.0, 179.99), (0.01, -179.99)].map {
            MapPlane.Position(latitude: $0.0, longitude: $0.1)
        }
        let rows = BrailleMap(lines: [line]).text(columns: 20, rows: 10).split(separator: "\n")
        #expect(rows.count == 7)
    }

    @Test(
        arguments: [
            [], [[]], [[MapPlane.Position(latitude: .nan, longitude: 0)]],
        ] as [[[MapPlane.Position]]]
    )
    func `no position is no map`(lines: [[MapPlane.Position]]) {
        #expect(BrailleMap(lines: lines).text(columns: 10, rows: 5).isEmpty)
    }

    @Test func `one position is one mark`() {
        let map = BrailleMap(lines: [[.init(latitude: 1, longitude: 2)]])
        #expect(map.text(columns: 10, rows: 5).hasPrefix("x\n├"))
    }

    @Test func `a code is square, quiet at its edge, and coloured only where it may be`() throws {
        let code = try #require(QRCode("wake://127.0.0.1:8300/#0123456789abcdef"))
        let plain = code.text(isColoured: false)
        let lines = plain.split(separator: "\n")
        #expect(lines.count == 19)
        #expect(lines.allSatisfy { $0.count == 37 })
        #expect(lines[0].allSatisfy { $0 == " " })
        #expect(lines[2].hasPrefix("    █▀▀▀▀▀█ "))
        #expect(!plain.contains("\u{1B}"))
        #expect(code.text(isColoured: true).hasPrefix("\u{1B}[38;5;16;48;5;231m"))
        #expect(QRCode(String(repeating: "x", count: 3000)) == nil)
    }
}
