@testable import SyncCore
import Testing

@Suite struct ChunkSummaryTests {
    private static func point(_ time: Int64, _ latitude: Double, _ longitude: Double) -> Sample {
        var sample = Sample(time: UnixTime(milliseconds: time))
        sample[.latitude] = latitude
        sample[.longitude] = longitude
        return sample
    }

    @Test func `samples, points, times, box and distance`() {
        let between = Sample(time: UnixTime(milliseconds: 500))
        let points = [Self.point(0, 0, -1), Self.point(1000, 0.05, -1)]
        let samples: Samples = [points[0], between, points[1]]
        let summary = ChunkSummary(of: samples)
        #expect(summary.bounds.sampleCount == 3)
        #expect(summary.bounds.pointCount == 2)
        #expect(summary.bounds.times == UnixTime(milliseconds: 0)...UnixTime(milliseconds: 1000))
        let box = ChunkSummary.Box(south: 0, west: -10_000_000, north: 500_000, east: -10_000_000)
        #expect(summary.bounds.box == box)
        #expect(abs((summary.filtered?.metres ?? -1) - 5528.71) < 0.01)
        #expect(Array(samples.ends) == points)
    }

    @Test func `a box across the antimeridian is the narrow one`() {
        let summary = ChunkSummary(of: [Self.point(0, 1, 179.5), Self.point(1, 2, -179.5)])
        let box = ChunkSummary.Box(
            south: 10_000_000,
            west: 1_795_000_000,
            north: 20_000_000,
            east: -1_795_000_000
        )
        #expect(summary.bounds.box == box)
    }

    @Test(arguments: [Int64.min, -1_800_000_001, 1_800_000_001, .max])
    func `a coordinate out of range is no point`(longitude: Int64) {
        var sample = Sample()
        sample[count: .latitude] = 0
        sample[count: .longitude] = longitude
        #expect(!sample.isPoint)
        #expect(ChunkSummary(of: [sample]).bounds.box == nil)
    }
}
