@testable import SyncCore
import Harness
import Testing

@Suite struct SamplesTests {
    /// Random samples of which many lack a channel, and some have none.
    private static func random(_ seed: UInt64, _ count: Int = 300) -> [Sample] {
        var random = SplitMix64(seed: seed)
        return RandomSamples.any(count: count, using: &random)
    }

    @Test(arguments: Rounds.seeds(30)) func `views are the samples that went in`(seed: UInt64) {
        let samples = Self.random(seed)
        let columns = Samples(samples)
        #expect(Array(columns) == samples && columns.count == 300)
        let channels = Set(samples.flatMap { $0.readings.map(\.channel) }) + [.time, .heel]
        for (view, own) in zip(columns, samples) {
            #expect(view.hashValue == own.hashValue)
            #expect(Array(view.readings) == Array(own.readings))
            #expect(channels.allSatisfy { view[count: $0] == own[count: $0] })
        }
    }

    @Test(arguments: Rounds.seeds(30)) func `a slice is packed like its samples`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let samples = Self.random(seed)
        let columns = Samples(samples)
        for _ in 0..<20 {
            let ends = (0..<2).map { _ in Int.random(in: 0...300, using: &random) }.sorted()
            let slice = columns[ends[0]..<ends[1]]
            let part = Samples(samples[ends[0]..<ends[1]])
            #expect(slice == part && slice.hashValue == part.hashValue)
            #expect(Array(slice) == Array(part) && slice.startIndex == ends[0])
            guard !slice.isEmpty else { continue }
            #expect(Chunk.content(of: slice).bytes == Chunk.content(of: part).bytes)
            #expect(ChunkSummary(of: slice) == ChunkSummary(of: part))
        }
    }

    @Test(arguments: Rounds.seeds(30))
    func `it does not matter in what pieces samples are appended`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let samples = Self.random(seed)
        let other = Samples(Self.random(seed + 1000))
        let columns = Samples(samples)
        var pieces = Samples()
        while pieces.count < 300 {
            let end = min(pieces.count + Int.random(in: 0...70, using: &random), 300)
            if Bool.random(using: &random) {
                pieces.append(contentsOf: columns[pieces.count..<end])
            } else {
                for sample in samples[pieces.count..<end] { pieces.append(sample) }
            }
        }
        #expect(pieces == columns)
        pieces.append(contentsOf: other)
        #expect(Array(pieces) == samples + Array(other))
        var slice = pieces[17..<90]
        slice.append(samples[0])
        #expect(Array(slice) == Array(samples[17..<90]) + [samples[0]])
        slice = pieces[17..<90]
        slice.append(contentsOf: other)
        #expect(Array(slice) == Array(samples[17..<90]) + Array(other))
        #expect(Array(pieces) == samples + Array(other))
    }

    @Test(arguments: Rounds.seeds(30)) func `one other reading makes others`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let samples = Self.random(seed)
        for _ in 0..<20 {
            var changed = samples
            let index = Int.random(in: 0..<300, using: &random)
            let count = changed[index][count: .power]
            changed[index][count: .power] = count == nil ? 0 : nil
            #expect(Samples(changed) != Samples(samples))
        }
    }

    @Test func `a changed view leaves the columns as they were`() {
        let samples = Samples(RecordingTests.samples(count: 3))
        var view = samples[1]
        view[count: .latitude] = nil
        view[count: .power] = 200
        #expect(view[count: .latitude] == nil && view[count: .power] == 200)
        #expect(view[count: .longitude] == samples[1][count: .longitude])
        #expect(samples == RecordingTests.samples(count: 3))
    }

    @Test func `thousands of columns of one reading stay small`() throws {
        let samples = (0..<4096).map { index in
            Sample(
                ascending: index < 1900
                    ? [Sample.Reading(channel: Channel(number: UInt16(index)), count: 1)] : []
            )
        }
        let unpacked = try Chunk.unpack(Chunk.pack(samples))
        #expect(unpacked == samples)
        #expect(unpacked.columns.reduce(0) { $0 + $1.counts.capacity } < 10_000)
    }
}

@Suite struct ColumnTests {
    @Test func `a reading of a sparse column is that of its sample`() {
        let counts: [Int64?] = [nil, 5, nil, nil, -7, 8, nil]
        let samples = Samples(
            counts.map { count in
                var sample = Sample(time: UnixTime(milliseconds: 0))
                sample[count: .power] = count
                return sample
            }
        )
        #expect(samples.map { $0[count: .power] } == counts)
    }
}

@Suite struct PredictorTests {
    @Test(arguments: [
        ([], Predictor.Order.raw), ([0, 0], .raw), ([5], .raw), ([1, 1], .delta),
        // Differences and their differences take as many bits.
        ([100, 101], .delta), ([100, 110, 120, 130], .deltaOfDelta),
    ])
    func `the lowest order wins a tie`(counts: [Int64], order: Predictor.Order) {
        #expect(Predictor.best(for: counts[...]) == order)
    }

    @Test(arguments: Rounds.seeds(30)) func `one pass finds the shortest`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let orders: [Predictor.Order] = [.raw, .delta, .deltaOfDelta]
        for _ in 0..<100 {
            let counts = (0..<Int.random(in: 1...5, using: &random)).map { _ in
                Int64.random(in: -4...4, using: &random)
            }
            let bits = orders.map { order in
                var predictor = Predictor(order: order)
                return counts.reduce(0) { sum, count in
                    let residual = Varint.zigzag(predictor.residual(of: count))
                    return sum + 64 - residual.leadingZeroBitCount
                }
            }
            let best = zip(orders, bits).min { $0.1 < $1.1 }?.0
            #expect(Predictor.best(for: counts[...]) == best, "\(counts)")
        }
    }
}
