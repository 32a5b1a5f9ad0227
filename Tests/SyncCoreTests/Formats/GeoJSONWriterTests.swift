import Foundation
import Harness
import Testing

@testable import SyncCore

@Suite struct GeoJSONWriterTests {
    private struct Collection: Decodable {
        let type: String
        let features: [Feature]
    }

    private struct Feature: Decodable {
        let type: String
        let geometry: Geometry?
        let properties: Properties
    }

    private struct Geometry: Decodable {
        let type: String
        let geometries: [Geometry]?
    }

    private struct Properties: Decodable {
        let name: String?
        let sport: String?
        let notes: String?
        let time: String?
    }

    private static func read(_ tracks: [ImportedTrack]) throws -> [Feature] {
        let bytes = try Document(tracks, as: .geojson).bytes
        let collection = try JSONDecoder().decode(Collection.self, from: Data(bytes))
        #expect(collection.type == "FeatureCollection")
        return collection.features
    }

    private static func text(_ samples: [Sample]) throws -> String {
        try Document([ImportedTrack(samples: samples)], as: .geojson).text
    }

    /// So many points in each segment.
    private static func segments(_ counts: Int...) -> [Sample] {
        var samples = RecordingTests.samples(count: counts.reduce(0, +))
        var start = 0
        for (number, count) in counts.enumerated() {
            for index in start..<start + count where number > 0 {
                samples[index][count: .segment] = Int64(number)
            }
            start += count
        }
        return samples
    }

    @Test func `texts are quoted, and control characters dropped`() throws {
        let track = ImportedTrack(
            name: "\"\\</script>\u{1}ü",
            sport: "a\tb",
            notes: "c\r\nd",
            samples: RecordingTests.samples(count: 2)
        )
        let features = try Self.read([track, ImportedTrack()])
        let properties = try #require(features.first).properties
        #expect(properties.name == "\"\\</script>ü")
        #expect(properties.sport == "a\tb")
        #expect(properties.notes == "c\r\nd")
        #expect(properties.time == track.samples.first?.time?.iso8601)
        #expect(features.map(\.geometry?.type) == ["LineString", nil])
    }

    @Test func `the geometry is what RFC 7946 allows for the segments`() throws {
        let shapes = [
            Self.segments(1), Self.segments(2), Self.segments(2, 3), Self.segments(2, 1, 3),
        ]
        let features = try Self.read(shapes.map { ImportedTrack(samples: $0) })
        #expect(
            features.map(\.geometry?.type)
                == ["Point", "LineString", "MultiLineString", "GeometryCollection"]
        )
        #expect(
            features.last?.geometry?.geometries?.map(\.type) == [
                "LineString", "Point", "LineString",
            ]
        )
    }

    @Test func `lists of times and readings are as long as those of places`() throws {
        var samples = Self.segments(2, 2)
        samples[0][.altitude] = -3.5
        samples[3].time = nil
        let places = samples.map { "[\($0.place(separator: ","))]" }
        let times = samples.map { $0.time.map { "\"\($0.iso8601)\"" } ?? "null" }
        let text = try Self.text(samples)
        #expect(
            text.contains(
                """
                "coordinates":[[\(places[0]),\(places[1])],
                [\(places[2]),\(places[3])]]
                """
            )
        )
        #expect(places[0].hasSuffix(",-3.5]"))
        #expect(
            text.contains(
                """
                "coordinateProperties":{"times":[[\(times[0]),\(times[1])],
                [\(times[2]),null]],
                "heart-rate":[[100,null],
                [null,null]]}
                """
            )
        )
        let flat = try Self.text(Self.segments(2))
        #expect(flat.contains("\"heart-rate\":[100,null]}"))
    }

    @Test(arguments: Rounds.seeds(10))
    func `whatever is in samples, it is JSON`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let tracks = (0..<3).map { _ in
            ImportedTrack(samples: RandomSamples.any(count: 50, using: &random))
        }
        #expect(try Self.read(tracks).count == 3)
    }
}

/// Out and in again.
@Suite struct GeoJSONRoundTripTests {
    /// Tracks of a few segments of a few points each, of which many are alone, and some without times.
    private static func tracks(using random: inout SplitMix64) -> [ImportedTrack] {
        (0..<3).map { number in
            var samples: [Sample] = []
            for segment in 0..<Int64.random(in: 1...5, using: &random) {
                let count = [1, 1, 2, 3].randomElement(using: &random) ?? 1
                samples += RandomSamples.points(count: count, using: &random).map { point in
                    var point = point
                    point[count: .segment] = segment > 0 ? segment : nil
                    return point
                }
            }
            return ImportedTrack(
                name: "track \(number)",
                sport: "sailing",
                notes: "a\nb",
                samples: samples
            )
        }
    }

    @Test(arguments: Rounds.seeds(30))
    func `what is written is read back, also segments of one point`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let tracks = Self.tracks(using: &random)
        let document = try Document(tracks, as: .geojson)
        let read = try RecordingFormat.geoJSON.read(document.bytes)
        #expect(read.tracks.map(\.name) == tracks.map(\.name))
        #expect(read.tracks.map { Array($0.samples) } == tracks.map { Array($0.samples) })
        #expect(read.tracks == tracks)
        #expect(read.passedOver == [:])
    }

    @Test func `the clocks of the start are read back`() throws {
        var track = ImportedTrack(name: "a", samples: RecordingTests.samples(count: 3))
        _ = track.note(WrittenTime(iso8601: Array("2020-06-01T12:00:00+05:45".utf8)))
        track.zone = ZoneName("Asia/Kathmandu")
        let document = try Document([track, ImportedTrack(samples: track.samples)], as: .geojson)
        let read = try RecordingFormat.geoJSON.read(document.bytes)
        #expect(read.tracks.map(\.start?.offset) == [UTCOffset(minutes: 345), nil])
        #expect(read.tracks.map(\.start?.zone) == [ZoneName("Asia/Kathmandu"), nil])
        #expect(read.tracks.first == track)
    }

    @Test(arguments: ["-12", "\"never\"", "null", "[\"+02:00\"]", "true"])
    func `a clock that is none is nothing`(value: String) throws {
        let text = """
            {"type":"Feature","geometry":{"type":"LineString","coordinates":[[5,52],[5,53]]},
            "properties":{"coordTimes":["2020-06-01T12:00:00Z","2020-06-01T12:00:01Z"],
            "wake:utcOffset":\(value),"wake:zone":\(value == "\"never\"" ? "\"\\n\"" : value)}}
            """
        let start = try RecordingFormat.geoJSON.read(Array(text.utf8)).tracks.first?.start
        #expect(start != nil && start?.offset == nil && start?.zone == nil)
    }

    @Test func `every channel that the writer names is read back`() throws {
        var samples = RecordingTests.samples(count: 2)
        for channel in Channel.known where channel > .altitude {
            samples[1][count: channel] = Int64(channel.number) + 7
        }
        samples[1][count: Channel(number: 4711)] = 3
        let track = ImportedTrack(samples: samples)
        let document = try Document([track], as: .geojson)
        #expect(try RecordingFormat.geoJSON.read(document.bytes).tracks == [track])
    }
}
