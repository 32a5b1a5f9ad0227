@testable import SyncCore
import Testing

@Suite struct HeartRateTimesTests {
    private static let bottoms: [Int64] = [100, 120, 140, 160, 180]

    private func seconds(
        _ readings: [(seconds: Double, value: Double)],
        bottoms: [Int64] = bottoms
    ) -> [Double] {
        var times = HeartRateTimes(bottoms: bottoms)
        for sample in Walk.readings(.heartRate, readings) { times.add(sample) }
        return times.seconds
    }

    @Test(
        arguments: [(20, 0), (99, 0), (100, 1), (119, 1), (120, 2), (179, 4), (180, 5), (250, 5)]
            as [(Int64, Int)]
    )
    func `a zone begins at its bottom`(rate: Int64, zone: Int) {
        #expect(HeartRateTimes.zone(of: rate, bottoms: Self.bottoms) == zone)
    }

    @Test(
        arguments: [
            ([(0, 90), (10, 110), (20, 130)], [10, 10, 0, 0, 0, 0]),
            // A gap of an hour is 30 seconds of the zone before it.
            ([(0, 150), (3600, 150), (3605, 90)], [0, 0, 0, 35, 0, 0]),
            // Rates that no heart has are no readings.
            ([(0, 150), (5, 0), (10, 90_000), (15, 90)], [0, 0, 0, 15, 0, 0]),
            // Times that go back count for nothing.
            ([(0, 150), (10, 150), (2, 190), (4, 90)], [0, 0, 0, 10, 0, 2]),
            ([(0, 150)], [0, 0, 0, 0, 0, 0]),
        ] as [([(seconds: Double, value: Double)], [Double])]
    )
    func `readings hold until the next`(
        readings: [(seconds: Double, value: Double)],
        expected: [Double]
    ) {
        #expect(seconds(readings) == expected)
    }

    @Test func `a pause is no time, and without zones there is none`() {
        var times = HeartRateTimes(bottoms: Self.bottoms)
        let before = Walk.readings(.heartRate, [(0, 150), (10, 150)])
        let after = Walk.readings(.heartRate, [(20, 150), (30, 150)], segment: 1)
        for sample in before + after { times.add(sample) }
        #expect(times.totalSeconds == 20)
        #expect(seconds([(0, 150), (10, 150)], bottoms: []) == [0])
    }
}
