@testable import SyncCore

/// What a writer wrote.
struct Document {
    let bytes: [UInt8]
    let leftOutCount: Int

    /// Writes tracks in a format.
    init(_ tracks: [ExportedTrack], as format: ExportFormat) throws {
        var bytes: [UInt8] = []
        var writer = format.writer(trackCount: tracks.count) { bytes += $0 }
        for track in tracks { try writer.write(track) }
        try writer.finish()
        self.bytes = bytes
        leftOutCount = writer.leftOutCount
    }

    /// Writes tracks as files hold them.
    init(_ tracks: [ImportedTrack], as format: ExportFormat) throws {
        try self.init(tracks.map(ExportedTrack.init), as: format)
    }

    var text: String { String(decoding: bytes, as: UTF8.self) }
}

extension PointReadings {
    /// The points of samples that are here.
    init(of samples: [Sample]) {
        self.init(of: SampleBatches(samples))
    }

    /// All that are left.
    var points: [Sample] {
        var (rest, points) = (self, [Sample]())
        do {
            while let point = try rest.next() { points.append(point) }
        } catch {
            preconditionFailure("samples that are here can be read: \(error)")
        }
        return points
    }
}

extension RandomSamples {
    /// Samples as a recorder makes them: in the order of time, and only some have a position.
    static func recorded(count: Int, using random: inout SplitMix64) -> [Sample] {
        var time: Int64 = 1_577_836_800_000
        var segment: Int64 = 0
        return (0..<count).map { index in
            time += [0, 0, 100, 400, 500, 1000, 1000, 5000].randomElement(using: &random) ?? 0
            if index > 0, Int.random(in: 0..<50, using: &random) == 0 { segment += 1 }
            var sample = Sample(time: UnixTime(milliseconds: time))
            if segment > 0 { sample[count: .segment] = segment }
            if Int.random(in: 0..<3, using: &random) == 0 {
                sample[count: .latitude] = Int64.random(in: -900...900, using: &random) * 1_000_000
                sample[count: .longitude] = Int64.random(in: -1800...1800, using: &random) * 999_999
            }
            for channel in [Channel.altitude, .speed, .heel, .heartRate, .cadence, .power]
            where Int.random(in: 0..<3, using: &random) == 0 {
                sample[count: channel] = Int64.random(in: 1...200, using: &random)
            }
            return sample
        }
    }
}
