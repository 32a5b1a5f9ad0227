@testable import SyncCore
import Testing

@Suite struct BoxTests {
    typealias Box = ChunkSummary.Box

    /// A box in whole degrees.
    private static func box(_ south: Int32, _ west: Int32, _ north: Int32, _ east: Int32) -> Box {
        Box(
            south: south * 10_000_000,
            west: west * 10_000_000,
            north: north * 10_000_000,
            east: east * 10_000_000
        )
    }

    @Test(
        arguments: [
            (box(0, 0, 1, 1), box(2, 3, 4, 5), box(0, 0, 4, 5)),
            (box(0, 0, 9, 9), box(2, 3, 4, 5), box(0, 0, 9, 9)),
            (box(0, 170, 1, 175), box(0, -175, 1, -170), box(0, 170, 1, -170)),
            (box(0, 179, 1, -179), box(0, 178, 1, 180), box(0, 178, 1, -179)),
            (box(0, 179, 1, -179), box(0, 0, 1, 1), box(0, 0, 1, -179)),
            (box(0, -180, 1, 0), box(0, -1, 1, 180), box(0, -180, 1, 180)),
            (box(5, 7, 5, 7), box(5, 7, 5, 7), box(5, 7, 5, 7)),
        ] as [(Box, Box, Box)]
    )
    func `two boxes lie in the narrowest around both`(one: Box, other: Box, both: Box) {
        #expect(one.union(other) == both)
        #expect(other.union(one) == both)
    }

    @Test(
        arguments: [
            (box(0, 0, 2, 2), 1, 1, 0), (box(0, 0, 2, 2), 2, 2, 0),
            (box(0, 0, 2, 2), 3, 1, 110_574), (box(0, 0, 2, 2), 0, 3, 111_319),
            (box(0, 0, 2, 2), 0, -1, 111_319), (box(0, 179, 1, -179), 0, 180, 0),
            (box(0, 179, 1, -179), 0, -178, 111_319), (box(0, 179, 1, -179), 0, 178, 111_319),
            (box(0, -180, 1, 180), 0, 55, 0), (box(89, 0, 90, 1), 90, -120, 0),
        ] as [(Box, Int64, Int64, Double)]
    )
    func `a place is as far as the nearest edge`(
        box: Box,
        latitude: Int64,
        longitude: Int64,
        metres: Double
    ) throws {
        let place = try #require(
            Coordinate(latitude: latitude * 10_000_000, longitude: longitude * 10_000_000)
        )
        #expect(abs(box.metres(to: place) - metres) < metres / 1000 + 1)
    }

    @Test func `a box that no track has traps nothing`() throws {
        let edges: [Int32] = [.min, -1_800_000_001, 0, .max]
        let place = try #require(Coordinate(latitude: 0, longitude: 0))
        for west in edges {
            for east in edges {
                let box = Box(south: .max, west: west, north: .min, east: east)
                #expect(box.metres(to: place) >= 0)
                #expect(box.union(Self.box(0, 0, 1, 1)).south <= 0)
            }
        }
    }
}
