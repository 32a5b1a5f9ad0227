import Testing

@testable import SyncCLI

@Suite struct DrawingTests {
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
}
