@testable import SyncCore
import Testing

@Suite struct KMLWriterTests {
    /// What our reader knows of the arrays.
    private static let channels: Set<Channel> = [
        .segment, .time, .latitude, .longitude, .altitude, .speed, .course, .heartRate, .cadence,
        .power, .temperature, .accuracy,
    ]

    private static func timed(_ seed: UInt64) -> [Sample] {
        var random = SplitMix64(seed: seed)
        return RandomSamples.points(count: 60, using: &random).map { point in
            var point = point
            point.time = point.time ?? UnixTime(milliseconds: 7)
            return point
        }
    }

    @Test(arguments: 0..<50 as Range<UInt64>)
    func `what is written is read back`(seed: UInt64) throws {
        let samples = Self.timed(seed)
        var track = ImportedTrack(name: "<a> & b", notes: "c\nd", samples: samples)
        track.sport = "Nordic <skiing>"
        _ = track.note(WrittenTime(iso8601: Array("2020-06-01T12:00:00+05:45".utf8)))
        track.zone = ZoneName("Asia/Kathmandu")
        let document = try Document([track, track], as: .kml)
        let read = try RecordingFormat.kml.read(document.bytes)
        let expected = samples.map { sample in
            Sample(ascending: sample.readings.filter { Self.channels.contains($0.channel) })
        }
        #expect(read.tracks.map { Array($0.samples) } == [expected, expected])
        #expect(read.tracks.map(\.name) == ["<a> & b", "<a> & b"])
        #expect(read.tracks.map(\.notes) == ["c\nd", "c\nd"])
        #expect(read.tracks.map(\.sport) == [track.sport, track.sport])
        #expect(read.tracks.map(\.start) == [track.start, track.start])
        #expect(read.passedOver == [:])
    }

    @Test func `points without a time stand in lines, one alone is a point`() throws {
        var samples = RecordingTests.samples(count: 6)
        for index in [1, 2, 3] { samples[index].time = nil }
        samples[3][count: .segment] = 1
        for index in [4, 5] { samples[index][count: .segment] = 2 }
        let document = try Document([ImportedTrack(samples: samples)], as: .kml)
        let read = try RecordingFormat.kml.read(document.bytes)
        #expect(read.tracks.map(\.samples.count) == [3])
        #expect(read.passedOver == [.route: 1, .waypoint: 1])
        #expect(document.text.ranges(of: "<Placemark>").count == 2)
        let places = samples[1...3].map { $0.place(separator: ",") + "\n" }
        #expect(document.text.contains("<coordinates>\n\(places[0])\(places[1])</coordinates>"))
        #expect(document.text.contains("<coordinates>\n\(places[2])</coordinates></Point>"))
        #expect(document.leftOutCount == 0)
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `a track without any time comes back as it was`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let samples = RandomSamples.points(count: 60, using: &random).map { point in
            Sample(
                ascending: point.readings.filter { $0.channel <= .altitude && $0.channel != .time }
            )
        }
        let track = ImportedTrack(name: "a", sport: "hiking", notes: "b", samples: samples)
        let other = ImportedTrack(name: "c", samples: Self.timed(seed))
        let document = try Document([track, other, track], as: .kml)
        let read = try RecordingFormat.kml.read(document.bytes)
        #expect(read.tracks.map(\.name) == ["a", "c", "a"])
        for track in [read.tracks[0], read.tracks[2]] {
            #expect(Array(track.samples) == samples)
            #expect(track.sport == "hiking" && track.notes == "b" && track.start == nil)
        }
        #expect(read.passedOver == [:])
    }

    @Test func `a line that is too long for a text goes on in the next`() throws {
        let samples = (0..<40_000).map { index in
            var sample = Sample()
            (sample[.latitude], sample[.longitude]) = (50 + Double(index) * 1e-5, -123.4567891)
            sample[.altitude] = 1234.5
            return sample
        }
        let document = try Document([ImportedTrack(samples: samples)], as: .kml)
        #expect(document.text.ranges(of: "<LineString").count == 5)
        let read = try RecordingFormat.kml.read(document.bytes)
        #expect(read.tracks.map { Array($0.samples) } == [samples])
    }

    @Test(arguments: [2, KMLWriter.lineLimit, KMLWriter.lineLimit + 1, 2 * KMLWriter.lineLimit])
    func `segments that touch stay segments`(count: Int) throws {
        var samples: [Sample] = []
        for (segment, indices) in [0..<count, count - 1..<count + 2, count + 1..<count + 2]
            .enumerated()
        {
            for index in indices {
                var sample = Sample()
                (sample[.latitude], sample[.longitude]) = (50 + Double(index) * 1e-5, 5)
                if segment > 0 { sample[count: .segment] = Int64(segment) }
                samples.append(sample)
            }
        }
        let track = ImportedTrack(samples: samples)
        let document = try Document([track, track], as: .kml)
        let names = document.text.matches(of: /id="([^"]*)"/).map(\.output.1)
        #expect(Set(names).count == names.count)
        let read = try RecordingFormat.kml.read(document.bytes)
        #expect(read.tracks.map { Array($0.samples) } == [samples, samples])
    }

    @Test func `times come before places and both before readings, which may be empty`() throws {
        let text = try Document(
            [ImportedTrack(samples: RecordingTests.samples(count: 8))],
            as: .kml
        ).text
        let last = try #require(text.ranges(of: "<when>").last?.lowerBound)
        let place = try #require(text.ranges(of: "<gx:coord>").first?.lowerBound)
        #expect(last < place)
        let empty = String(repeating: "<gx:value></gx:value>\n", count: 6)
        let array = "<gx:SimpleArrayData name=\"heartrate\">\n<gx:value>100</gx:value>\n\(empty)"
        #expect(text.contains(array + "<gx:value>107</gx:value>\n</gx:SimpleArrayData>"))
    }
}
