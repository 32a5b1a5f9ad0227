@testable import SyncCore
import Harness
import Testing

/// Bytes a point: deterministic, so they are limits and not just figures.
@Suite struct ChunkSizeTests {
    private static func bytes(_ samples: [Sample]) -> Int {
        Chunk.split(samples).reduce(0) { $0 + $1.bytes.count }
    }

    @Test(.enabled(if: SharedData.isHere, "the recordings are not here"))
    func `a data logger's positions, times and altitudes take at most 4 bytes a point`() throws {
        let file = try RecordingFormat.gpx.read(
            SharedData.bytes("gpx/mtk_logger_m241_multiple_tracks.gpx")
        )
        let channels: [Channel] = [.time, .latitude, .longitude, .altitude]
        var (byteCount, pointCount) = (0, 0)
        for track in file.tracks {
            let samples = track.samples.map { sample in
                Sample(ascending: sample.readings.filter { channels.contains($0.channel) })
            }
            byteCount += Self.bytes(samples)
            pointCount += samples.count
        }
        let bytesPerPoint = Double(byteCount) / Double(pointCount)
        #expect(pointCount == 14_263)
        #expect(bytesPerPoint <= 4.0)
        #expect(bytesPerPoint > 3.0, "so that a gain is noticed")
    }
}

/// The same for a made-up sail, which is noisier than life.
@Suite struct SailSizeTests {
    @Test(arguments: Rounds.seeds(1))
    func `nine channels a second take at most 6_9 bytes a point`(seed: UInt64) {
        let channels: [Channel] = [
            .time, .latitude, .longitude, .altitude, .speed, .headingMagnetic, .heel, .pitch,
            .heartRate,
        ]
        let sail = SyntheticSail(
            seed: seed,
            start: UnixTime(milliseconds: 1_750_000_000_000),
            seconds: 5000
        )
        let samples = sail.samples.map { sample in
            Sample(ascending: sample.readings.filter { channels.contains($0.channel) })
        }
        let byteCount = Chunk.split(samples).reduce(0) { $0 + $1.bytes.count }
        let bytesPerPoint = Double(byteCount) / 5000
        #expect(bytesPerPoint <= 6.9)
        #expect(bytesPerPoint > 6, "so that a gain is noticed")
    }
}
