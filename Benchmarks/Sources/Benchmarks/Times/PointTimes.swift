internal import CProbe
internal import SyncCore

/// Packing and reading points of nine channels, beside a row of a plain table for each of them.
enum PointTimes {
    private static let pointCount = 100_000
    private static let rounds = 7

    /// Measures all of it, round by round, so that all share what else the machine does.
    static func times() throws -> [Time] {
        let samples = Sails.samples(seed: 1, count: pointCount, channels: Sails.nine)
        let columns = Samples(samples)
        let chunks = PackedChunk.pack(columns).map(\.bytes)
        var rates: [[Double]] = Array(repeating: [], count: 5)
        for _ in 0..<rounds {
            rates[0].append(try insertRate(of: samples))
            rates[1].append(try rate { PackedChunk.pack(columns).reduce(0) { $0 + $1.count } })
            rates[2].append(try rate { PackedSamples(samples).count })
            rates[3].append(try rate { try chunks.reduce(0) { $0 + (try Chunk.unpack($1).count) } })
            rates[4].append(try rate { ChunkSummary(of: columns).bounds.sampleCount })
        }
        let names = [
            "raw row inserts of points", "points packed, without storing",
            "points packed, from samples one by one", "points unpacked", "points summed up",
        ]
        let medians = rates.map(Stopwatch.median)
        return zip(names, medians).map { name, rate in
            Time(name: name, value: rate, unit: "a second", floor: ("raw row inserts", medians[0]))
        }
    }

    /// Rows of ten integers inserted a second: a number and the nine channels.
    static func insertRate(of samples: [Sample]) throws -> Double {
        let numbers = samples.enumerated().flatMap { index, sample in
            [Int64(index)] + Sails.nine.map { sample[count: $0] ?? 0 }
        }
        let folder = try Folder()
        let path = folder.path + "/points.db"
        let seconds = unsafe cprobe_inserts(path, numbers, samples.count)
        guard seconds > 0 else { throw ProgramError.failed("sqlite", [], status: -1) }
        return Double(samples.count) / seconds
    }

    /// Points a second of what counts them all.
    private static func rate(_ body: () throws -> Int) throws -> Double {
        var count = 0
        let duration = try ContinuousClock().measure { count = try body() }
        guard count == pointCount else { throw DeviceError.different("points") }
        return Double(count) / (duration / .seconds(1))
    }
}

extension PackedChunk {
    fileprivate var count: Int { summary.bounds.sampleCount }
}
