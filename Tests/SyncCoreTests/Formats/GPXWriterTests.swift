@testable import SyncCore
import Harness
import Testing

@Suite struct GPXWriterTests {
    private static func write(_ tracks: [ImportedTrack]) throws -> [UInt8] {
        final class Sink {
            var bytes: [UInt8] = []
        }
        let sink = Sink()
        try GPXWriter.write(tracks) { sink.bytes += $0 }
        return sink.bytes
    }

    @Test(arguments: Rounds.seeds(5))
    func `what is written is read back`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let tracks = (0..<3).map { index in
            var track = ImportedTrack(
                name: "<\(index)> & \"ü\"",
                sport: "sail",
                notes: "a\r\nb\tc",
                samples: RandomSamples.points(count: 50, using: &random)
            )
            track.note([nil, UTCOffset(minutes: 0), UTCOffset(minutes: -210)][index])
            track.zone = index == 1 ? ZoneName("Europe/London") : nil
            return track
        }
        #expect(try RecordingFormat.gpx.read(Self.write(tracks)).tracks == tracks)
    }

    @Test func `a point is written as programs expect it`() throws {
        var sample = Sample(time: UnixTime(milliseconds: 1_577_836_800_500))
        sample[.latitude] = -0.00001
        sample[.longitude] = 5.25
        sample[.altitude] = -4
        sample[.heartRate] = 120
        sample[.power] = 200
        sample[.heel] = -12.5
        let track = ImportedTrack(name: "a\u{1}b", samples: [sample])
        let text = String(decoding: try Self.write([track]), as: UTF8.self)
        #expect(text.contains("<name>ab</name>"))
        #expect(
            text.contains(
                """
                <trkpt lat="-0.00001" lon="5.25"><ele>-4</ele><time>2020-01-01T00:00:00.500Z</time>\
                <extensions><gpxtpx:TrackPointExtension><gpxtpx:hr>120</gpxtpx:hr>\
                </gpxtpx:TrackPointExtension><pwr:PowerInWatts>200</pwr:PowerInWatts>\
                <wake:heel>-12.5</wake:heel></extensions></trkpt>
                """
            )
        )
    }

    @Test func `a time that no file can hold is left out, and the point stays`() throws {
        var samples = RecordingTests.samples(count: 2)
        samples[1][count: .time] = .max
        let bytes = try Self.write([ImportedTrack(samples: samples)])
        samples[1].time = nil
        #expect(try RecordingFormat.gpx.read(bytes).tracks.map { Array($0.samples) } == [samples])
    }

    @Test func `readings between points go to the nearest point that lacks them`() {
        let times: [Int64] = [0, 1000, 1400, 2000, 2600, 9000]
        var samples = times.map { Sample(time: UnixTime(milliseconds: $0)) }
        for index in [0, 1, 3] {
            samples[index][.latitude] = 1
            samples[index][.longitude] = 2
        }
        samples[1][.heel] = 5
        samples[2][.heel] = 7
        samples[2][.pitch] = 1
        samples[4][.pitch] = 3
        samples[5][.pitch] = 4
        let points = PointReadings(of: samples).points
        #expect(points.map { $0[.heel] } == [nil, 5, 7])
        #expect(points.map { $0[.pitch] } == [nil, 1, 3])
    }
}
