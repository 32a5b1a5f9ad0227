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
        let track = ImportedTrack(name: "<a> & b", notes: "c\nd", samples: samples)
        let document = try Document([track, track], as: .kml)
        let read = try RecordingFormat.kml.read(document.bytes)
        let expected = samples.map { sample in
            Sample(ascending: sample.readings.filter { Self.channels.contains($0.channel) })
        }
        #expect(read.tracks.map { Array($0.samples) } == [expected, expected])
        #expect(read.tracks.map(\.name) == ["<a> & b", "<a> & b"])
        #expect(read.tracks.map(\.notes) == ["c\nd", "c\nd"])
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
