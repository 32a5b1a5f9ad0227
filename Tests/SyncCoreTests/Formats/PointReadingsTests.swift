@testable import SyncCore
import Harness
import Testing

@Suite struct PointReadingsTests {
    /// The rule as it is written, on all samples at once and by looking at every point.
    private static func points(of samples: [Sample]) -> [Sample] {
        var points = samples.filter(\.isPoint)
        for sample in samples where !sample.isPoint {
            guard let time = sample.time?.milliseconds else { continue }
            let near = points.indices.compactMap { index -> (distance: Int64, time: Int64, Int)? in
                guard let other = points[index].time?.milliseconds else { return nil }
                // Of equal times the earlier one is asked first after the sample, the later before.
                return (abs(other - time), other, other < time ? -index : index)
            }
            .filter { $0.distance <= 1000 }
            .sorted { ($0.distance, $0.time, $0.2) < ($1.distance, $1.time, $1.2) }
            for reading in sample.readings where reading.channel > .longitude {
                let index = near.lazy.map { abs($0.2) }
                    .first { points[$0][count: reading.channel] == nil }
                if let index { points[index][count: reading.channel] = reading.count }
            }
        }
        return points
    }

    @Test(arguments: Rounds.seeds(25))
    func `samples in order give what the rule gives on all of them`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let samples = RandomSamples.recorded(count: 300, using: &random)
        #expect(PointReadings(of: samples).points == Self.points(of: samples))
    }

    @Test(arguments: Rounds.seeds(5))
    func `it does not matter how samples are cut into batches`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let samples = RandomSamples.recorded(count: 300, using: &random)
        let cuts = (0..<10).map { _ in Int.random(in: 0...300, using: &random) }.sorted()
        let batches = zip([0] + cuts, cuts + [300]).map { start, end in
            SampleBatch { Samples(samples[start..<end]) }
        }
        #expect(
            PointReadings(of: SampleBatches(batches)).points == PointReadings(of: samples).points
        )
    }

    @Test(arguments: Rounds.seeds(5))
    func `whatever the times are, every point comes in its order`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var samples = RandomSamples.points(count: 200, using: &random)
        let wild: [Int64] = [.min, .max, 0, 1, 500]
        for index in samples.indices where Bool.random(using: &random) {
            samples[index][count: .time] = wild.randomElement(using: &random)
            if Bool.random(using: &random) { samples[index][count: .latitude] = nil }
        }
        let points = PointReadings(of: samples).points
        let places = { (samples: [Sample]) in samples.map(\.coordinate) }
        #expect(places(points) == places(samples.filter(\.isPoint)))
    }

    @Test func `a hundred thousand points of one instant take no more than a window`() throws {
        var point = Sample(time: UnixTime(milliseconds: 0))
        point[.latitude] = 1
        point[.longitude] = 2
        let points = Samples(repeatElement(point, count: 1000))
        var readings = PointReadings(
            of: SampleBatches((0..<100).map { _ in SampleBatch { points } })
        )
        var count = 0
        while try readings.next() != nil { count += 1 }
        #expect(count == 100_000)
    }
}
