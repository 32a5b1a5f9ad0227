@testable import SyncCore
import Testing

@Suite struct SyntheticSailTests {
    private static let start = UnixTime(milliseconds: 1_750_000_000_000)

    @Test func `the same seed makes the same sail, another seed another`() {
        let sail = SyntheticSail(seed: 1, start: Self.start, seconds: 100)
        #expect(sail.samples == SyntheticSail(seed: 1, start: Self.start, seconds: 100).samples)
        #expect(sail.samples != SyntheticSail(seed: 2, start: Self.start, seconds: 100).samples)
    }

    @Test func `a sail is plausible`() {
        let samples = SyntheticSail(seed: 3, start: Self.start, seconds: 3600).samples
        let summary = ChunkSummary(of: samples)
        #expect(summary.bounds.pointCount == 3600)
        #expect((5_000...20_000).contains((summary.filtered?.metres ?? -1)))
        #expect(samples.allSatisfy { $0[.heel].map { abs($0) <= 60 } ?? false })
        #expect(
            samples.contains { ($0[.heel] ?? 0) > 5 } && samples.contains { ($0[.heel] ?? 0) < -5 }
        )
        let upwind = samples[200..<1800].compactMap { $0[.windAngleTrue] }
        #expect(upwind.count { 20...80 ~= $0 || 280...340 ~= $0 } > 1200)
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `its sentences say what its samples say`(seed: UInt64) throws {
        let sail = SyntheticSail(seed: seed, start: Self.start, seconds: 300)
        var reader = NMEAReader(fallbackDate: UnixTime(milliseconds: 0))
        let read = reader.feed(sail.nmea) + reader.finish()
        #expect(reader.counters.sentences == 300 * 9)
        #expect(reader.counters.badChecksum == 0)
        #expect(read.count == 300)
        for (read, made) in zip(read, sail.samples) {
            #expect(read.time == made.time)
            for channel in [.latitude, .longitude, .heel, .pitch, .depth, .altitude] as [Channel] {
                #expect(read[count: channel] == made[count: channel], "\(channel)")
            }
            let speeds = try (#require(read[.speed]), #require(made[.speed]))
            #expect(abs(speeds.0 - speeds.1) < 0.011)
        }
    }
}
