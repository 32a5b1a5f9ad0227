@testable import SyncCore
import Harness
import Testing

@Suite struct KMLWriterTests {
    /// All channels; of about every other point no time.
    private static func points(_ seed: UInt64) -> [Sample] {
        var random = SplitMix64(seed: seed)
        return RandomSamples.points(count: 60, using: &random)
    }

    @Test(arguments: Rounds.seeds(10))
    func `what is written is read back, as from GPX`(seed: UInt64) throws {
        let samples = Self.points(seed)
        var track = ImportedTrack(name: "<a> & b", notes: "c\nd", samples: samples)
        track.sport = "Nordic <skiing>"
        _ = track.note(WrittenTime(iso8601: Array("2020-06-01T12:00:00+05:45".utf8)))
        track.zone = ZoneName("Asia/Kathmandu")
        let document = try Document([track, track], as: .kml)
        let read = try RecordingFormat.kml.read(document.bytes)
        #expect(read.tracks.map { Array($0.samples) } == [samples, samples])
        let other = try RecordingFormat.gpx.read(Document([track, track], as: .gpx).bytes)
        #expect(read.tracks.map { Array($0.samples) } == other.tracks.map { Array($0.samples) })
        #expect(read.tracks.map(\.name) == ["<a> & b", "<a> & b"])
        #expect(read.tracks.map(\.notes) == ["c\nd", "c\nd"])
        #expect(read.tracks.map(\.sport) == [track.sport, track.sport])
        #expect(read.tracks.map(\.start) == [track.start, track.start])
        #expect(read.passedOver == [:])
    }

    @Test func `a point without a time among others has an empty one`() throws {
        var samples = RecordingTests.samples(count: 21)
        for index in samples.indices where index % 5 > 0 { samples[index].time = nil }
        let document = try Document([ImportedTrack(samples: samples)], as: .kml)
        #expect(document.text.ranges(of: "<when></when>").count == 16)
        #expect(document.text.ranges(of: "<gx:coord>").count == 21)
        #expect(document.text.ranges(of: "<Placemark>").count == 1)
        let read = try RecordingFormat.kml.read(document.bytes)
        #expect(read.tracks.map { Array($0.samples) } == [samples])
        #expect(read.passedOver == [:])
        #expect(document.leftOutCount == 0)
    }

    @Test func `points of a track without a time stand in lines, one alone is a point`() throws {
        var samples = RecordingTests.samples(count: 3)
        for index in samples.indices { samples[index].time = nil }
        samples[2][count: .segment] = 1
        let text = try Document([ImportedTrack(samples: samples)], as: .kml).text
        let places = samples.map { $0.place(separator: ",") + "\n" }
        #expect(text.contains("<coordinates>\n\(places[0])\(places[1])</coordinates>"))
        #expect(text.contains("<coordinates>\n\(places[2])</coordinates></Point>"))
        let array = "<gx:SimpleArrayData name=\"heartrate\">\n<gx:value>100</gx:value>\n"
        #expect(text.ranges(of: array).count == 1)
    }

    @Test(arguments: [ExportFormat.kml, .geojson])
    func `as many channels come back as are written`(format: ExportFormat) throws {
        var samples = RecordingTests.samples(count: 2)
        for index in samples.indices {
            for number in UInt16(5)..<5 + UInt16(SampleColumns.readingLimit) {
                samples[index][count: Channel(number: number)] = Int64(number)
            }
        }
        let document = try Document([ImportedTrack(samples: samples)], as: format)
        let reader: RecordingFormat = format == .kml ? .kml : .geoJSON
        #expect(try reader.read(document.bytes).tracks.map { Array($0.samples) } == [samples])
    }

    @Test(arguments: Rounds.seeds(5))
    func `a track without any time comes back as it was`(seed: UInt64) throws {
        let samples = Self.points(seed).map { point in
            Sample(ascending: point.readings.filter { $0.channel != .time })
        }
        let track = ImportedTrack(name: "a", sport: "hiking", notes: "b", samples: samples)
        let other = ImportedTrack(name: "c", samples: Self.points(seed))
        let document = try Document([track, other, track], as: .kml)
        let read = try RecordingFormat.kml.read(document.bytes)
        #expect(read.tracks.map(\.name) == ["a", "c", "a"])
        for track in [read.tracks[0], read.tracks[2]] {
            #expect(Array(track.samples) == samples)
            #expect(track.sport == "hiking" && track.notes == "b" && track.start == nil)
        }
        #expect(read.passedOver == [:])
    }

    @Test(.nightly) func `a line that is too long for a text goes on in the next`() throws {
        let samples = (0..<40_000).map { index in
            var sample = Sample()
            (sample[.latitude], sample[.longitude]) = (50 + Double(index) * 1e-5, -123.4567891)
            sample[.altitude] = 1234.5
            sample[count: .heel] = Int64(index % 900)
            return sample
        }
        let document = try Document([ImportedTrack(samples: samples)], as: .kml)
        #expect(document.text.ranges(of: "<LineString").count == 5)
        let read = try RecordingFormat.kml.read(document.bytes)
        #expect(read.tracks.map { Array($0.samples) } == [samples])
    }

    private static let lineLengths = Rounds.cases(
        always: [KMLWriter.lineLimit + 1, 2 * KMLWriter.lineLimit],
        atNight: [2, KMLWriter.lineLimit]
    )

    @Test(arguments: lineLengths)
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
