import SyncCore
import Testing

@testable import SyncCLI

@Suite struct PlotAxisTests {
    @Test(
        arguments: [
            (0...10, 5, false, "0 2 4 6 8 10"), (0...9.96, 8, false, "0 2 4 6 8"),
            (0...1, 4, false, "0.0 0.5 1.0"), (-4.9...4.5, 3, true, "-5 0 5"),
            (183...421, 6, true, "150 200 250 300 350 400 450"),
            (542...556, 3, true, "540 550 560"),
            (5...5, 3, true, "4.999995 5.000000 5.000005"),
            (0...1e15, 2, true, "0 500000000000000 1000000000000000"),
            (0.0001...0.0009, 4, false, "0.0002 0.0004 0.0006 0.0008"),
        ] as [(ClosedRange<Double>, Int, Bool, String)]
    )
    func `numbers have ticks at round ones`(
        range: ClosedRange<Double>,
        count: Int,
        reaches: Bool,
        labels: String
    ) {
        let axis = PlotAxis.numbers(range, count: count, reaches: reaches)
        #expect(axis.ticks.map(\.label).joined(separator: " ") == labels)
        #expect(axis.ticks.allSatisfy { axis.range.contains($0.value) })
    }

    @Test(arguments: [-1e300...1e300, 0...Double.leastNonzeroMagnitude, 1e18...1e18, -1...1e-300])
    func `no range is too odd for an axis`(range: ClosedRange<Double>) {
        for count in [0, 1, 1000] {
            let axis = PlotAxis.numbers(range, count: count, reaches: true)
            #expect(axis.ticks.count <= 1001)
            #expect(axis.range.length > 0)
            #expect(axis.part(range.lowerBound).isFinite)
        }
    }

    /// 2026-05-01T09:30:00Z.
    private static let start = 1_777_627_800.0

    @Test(
        arguments: [
            (20, 4, false, "11:30:00 11:30:05 11:30:10 11:30:15 11:30:20"),
            (150, 3, false, "11:30 11:31 11:32"), (5000, 4, false, "11:30 12:00 12:30"),
            (5000, 4, true, "11:30 am 12:00 pm 12:30 pm"),
            (86_400, 4, false, "12:00 18:00 00:00 06:00"),
            (400_000, 5, false, "2026-05-02 2026-05-03 2026-05-04 2026-05-05 2026-05-06"),
            (5e8, 4, false, "2030-03-27 2035-09-17 2041-03-09"),
            (0, 4, false, "11:29:59 11:30:00 11:30:01"),
            (2e11, 2, false, "4707-11-29 7445-10-25"),
        ] as [(Double, Int, Bool, String)]
    )
    func `times have ticks that a clock of the place shows`(
        seconds: Double,
        count: Int,
        isTwelveHour: Bool,
        labels: String
    ) {
        let axis = PlotAxis.clock(
            Self.start...Self.start + seconds,
            count: count,
            offset: UTCOffset(minutes: 120),
            isTwelveHour: isTwelveHour
        )
        #expect(axis.ticks.map(\.label).joined(separator: " ") == labels)
    }

    @Test(
        arguments: [
            (52.84...52.86, 2, "52°50.5′N 52°51.0′N 52°51.5′N"),
            (-0.6...0.6, 3, "0°20′S 0°00′N 0°20′N"),
            (-90...90, 4, "90°S 45°S 0°N 45°N 90°N"), (45.76...45.7605, 2, "45°45.60′N 45°45.62′N"),
            (9.99...10.01, 3, "9°59.5′N 10°00.0′N 10°00.5′N"),
        ] as [(ClosedRange<Double>, Int, String)]
    )
    func `degrees have minutes as charts do`(
        range: ClosedRange<Double>,
        count: Int,
        labels: String
    ) {
        let axis = PlotAxis.degrees(range, count: count, letters: ("N", "S"))
        #expect(axis.ticks.map(\.label).joined(separator: " ") == labels)
    }

    @Test func `beyond the antimeridian degrees are western ones`() {
        let axis = PlotAxis.degrees(179...181, count: 2, letters: ("E", "W"))
        #expect(axis.ticks.map(\.label) == ["179°E", "180°E", "179°W"])
    }

    @Test func `a pace is in minutes and seconds`() {
        let axis = PlotAxis.paces(235...330, count: 4)
        #expect(axis.ticks.map(\.label) == ["3:30", "4:00", "4:30", "5:00", "5:30"])
    }
}
