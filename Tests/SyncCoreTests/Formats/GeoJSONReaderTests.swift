@testable import SyncCore
import Testing

@Suite struct GeoJSONReaderTests {
    private static func read(_ text: String) throws -> ImportedFile {
        try RecordingFormat.geoJSON.read(Array(text.utf8))
    }

    private static func collection(_ features: String...) -> String {
        #"{"type":"FeatureCollection","features":["# + features.joined(separator: ",") + "]}"
    }

    private static func feature(_ geometry: String, _ properties: String = "{}") -> String {
        #"{"type":"Feature","properties":\#(properties),"geometry":\#(geometry)}"#
    }

    private static func geometry(_ type: String, _ coordinates: String) -> String {
        #"{"type":"\#(type)","coordinates":\#(coordinates)}"#
    }

    private static let line = geometry("LineString", "[[5.1,52.25,-3.5],[5.2,52.5,null],[5.3,52]]")
    private static let times = #"["2020-12-31T00:00:00Z","2020-12-31T00:00:01.5Z",null]"#

    @Test func `a line is a track, with times and readings from the properties`() throws {
        let properties = """
            {"name":"Out","desc":"d","type":"sailing",
            "coordinateProperties":{"times":\(Self.times),"heart":[99,null,101]}}
            """
        let file = try Self.read(Self.collection(Self.feature(Self.line, properties)))
        let track = try #require(file.tracks.first)
        #expect((track.name, track.notes, track.sport) == ("Out", "d", "sailing"))
        let samples = Array(track.samples)
        #expect(samples.map { $0[.longitude] } == [5.1, 5.2, 5.3])
        #expect(samples.map { $0[.altitude] } == [-3.5, nil, nil])
        #expect(samples.map { $0[.heartRate] } == [99, nil, 101])
        #expect(
            samples.map { $0.time?.iso8601 }
                == ["2020-12-31T00:00:00Z", "2020-12-31T00:00:01.500Z", nil]
        )
    }

    @Test func `a byte order mark may come in pieces`() throws {
        var reader = RecordingFormat.geoJSON.reader()
        for byte in [0xef, 0xbb, 0xbf] + Array(Self.collection(Self.feature(Self.line)).utf8) {
            try reader.feed([byte])
        }
        #expect(try reader.finish().tracks.count == 1)
    }

    @Test(arguments: [[0xef], [0xef, 0xbb]] as [[UInt8]])
    func `the beginning of a byte order mark is not JSON`(bytes: [UInt8]) throws {
        var reader = RecordingFormat.geoJSON.reader()
        #expect(throws: FormatError.self) {
            for byte in bytes + Array(Self.collection(Self.feature(Self.line)).utf8) {
                try reader.feed([byte])
            }
            _ = try reader.finish()
        }
    }

    @Test func `members may come in any order, and the last of a key counts`() throws {
        let text = """
            {"features":[{"geometry":{"coordinates":[[9,9]],"coordinates":[[1,2],[3,4]],
            "type":"Polygon","type":"LineString"},"properties":{"coordTimes":[1],
            "coordTimes":[1577836800,1577836801500]},"type":"Feature"}],"type":"FeatureCollection"}
            """
        let samples = Array(try #require(try Self.read(text).tracks.first).samples)
        #expect(samples.map { $0[.latitude] } == [2, 4])
        #expect(
            samples.map { $0.time?.iso8601 } == [
                "2020-01-01T00:00:00Z", "2020-01-01T00:00:01.500Z",
            ]
        )
    }

    @Test func `the parts of a multi-line are segments, and its times are nested as it is`() throws
    {
        let lines = Self.geometry("MultiLineString", "[[[1,1],[1,2]],[],[[1,3]],[[1,4]]]")
        let times = #"{"coordinateProperties":{"times":[[1,2],[],[3],[4]]}}"#
        let file = try Self.read(Self.collection(Self.feature(lines, times)))
        #expect(file.tracks.map { $0.samples.map { $0[count: .segment] } } == [[nil, nil, 1, 2]])
        let samples = Array(try #require(file.tracks.first).samples)
        #expect(samples.map { $0.time?.milliseconds } == [1000, 2000, 3000, 4000])
    }

    @Test(arguments: ["line", "feature", "collection"])
    func `a bare geometry, a feature and a collection are read alike`(kind: String) throws {
        let feature = Self.feature(Self.line)
        let texts = ["line": Self.line, "feature": feature, "collection": Self.collection(feature)]
        let file = try Self.read("\u{FEFF} \n" + (texts[kind] ?? ""))
        #expect(file.tracks.map(\.samples.count) == [3])
    }

    @Test(
        arguments: [
            #""timestamp":1577836800"#, #""tst":1577836800.0"#, #""time":"2020-01-01T00:00:00Z""#,
            #""timestamp":"1577836800""#, #""time":1577836800000"#,
            #""time":"2020-01-01T01:00:00+01:00""#,
        ]
    )
    func `points with a time are one track`(time: String) throws {
        let point = Self.geometry("Point", "[5,52]")
        let file = try Self.read(
            Self.collection(
                Self.feature(point, "{\(time),\"altitude\":\"12.5\"}"),
                Self.feature(Self.line),
                Self.feature(Self.geometry("Point", "[6,53,1]"), "{\(time),\"altitude\":9}"),
                Self.feature(point)
            )
        )
        #expect(file.tracks.map(\.samples.count) == [3, 2])
        let samples = Array(try #require(file.tracks.last).samples)
        #expect(samples.map { $0.time?.milliseconds } == [1_577_836_800_000, 1_577_836_800_000])
        #expect(samples.map { $0[.altitude] } == [12.5, 1])
        #expect(file.passedOver == [.waypoint: 1])
    }

    @Test func `what is no way is passed over and counted`() throws {
        let file = try Self.read(
            Self.collection(
                Self.feature(Self.geometry("Polygon", "[[[0,0],[1,0],[1,1],[0,0]]]")),
                Self.feature(#"{"type":"GeometryCollection","geometries":[\#(Self.line)]}"#),
                Self.feature("null"),
                Self.feature(Self.geometry("LineString", "[]"))
            )
        )
        #expect(file.tracks.isEmpty && file.passedOver == [.shape: 2])
    }

    private static func points(_ coordinates: String) -> String {
        collection(feature(geometry("LineString", coordinates)))
    }

    static let refused: [(text: String, reason: FormatError.Reason)] = [
        (points("[[1,2],[181,0]]"), .badCoordinate("position 2")),
        (points("[[1,1e999]]"), .badCoordinate("position 1")),
        (points("[[1,-1e99999999999999999999]]"), .badCoordinate("position 1")),
        (points("[[1,2,1e999]]"), .badCoordinate("position 1")),
        (points("[[1,\(String(repeating: "9", count: 5000))]]"), .badCoordinate("position 1")),
        (points("[[1]]"), .missingCoordinate),
        (points(#"[["1","2"]]"#), .badCoordinate("position 1")),
        (points("[[null,2]]"), .badCoordinate("position 1")),
        (points("[[1,[2]]]"), .badCoordinate("position 1")),
        (points(#"[{"a":1}]"#), .badCoordinate("position 1")),
        (collection(feature(line, #"{"coordTimes":[1,2]}"#)), .badTime("2 times for 3 positions")),
        (#"{"type":"FeatureCollection","features":[{}"#, .truncated),
        (#"{"type":"Feature","properties":{"name":"\#u{0}"}}"#, .malformedJSON),
        (#"{"type":"Feature"} {}"#, .malformedJSON),
        (#"{"type":"Feature","geometry":}"#, .malformedJSON),
        (#"{"name":"package","version":1}"#, .notThisFormat),
        (#"{\documentclass}"#, .notThisFormat),
        (#"{"type":"Feature","a":"# + String(repeating: "[", count: 100_000), .tooDeep),
        (#"{"type":"Feature","a":""# + String(repeating: "a", count: 2 << 20), .tooLarge),
        (#"{"type":"Feature","a":1"# + String(repeating: "0", count: 2 << 20), .tooLarge),
    ]

    @Test(arguments: refused.indices)
    func `a document that is not right is refused`(index: Int) {
        let (text, reason) = Self.refused[index]
        let error = #expect(throws: FormatError.self) { _ = try Self.read(text) }
        #expect(error?.reason == reason)
    }

    @Test func `an error is told with its line`() {
        let text = "{\"type\":\"Feature\",\n\"geometry\":{\n\"coordinates\":[[1,2],\n [x"
        #expect(throws: FormatError(line: 4, column: 4, reason: .malformedJSON)) {
            _ = try Self.read(text)
        }
    }

    @Test func `types that are none of the places where they stand are passed over`() throws {
        let odd = """
            {"type":5,"type":"FeatureCollection","features":[null,7,"x",[[1]],{"geometry":[1,2]},
            {"properties":[1],"geometry":{"coordinates":"x","type":"LineString"}},
            {"properties":{"name":{"a":[1]},"time":"x","coordTimes":"x"},
            "geometry":{"type":"Point","coordinates":[1,2]}}]}
            """
        let file = try Self.read(odd)
        #expect(file.tracks.isEmpty && file.passedOver == [.waypoint: 1, .value: 1])
    }

    @Test func `a document may be cut anywhere, and what came before damage is kept`() throws {
        let properties = #"{"coordTimes":\#(Self.times),"name":"ü\n\u00e9"}"#
        let text = Array(Self.collection(Self.feature(Self.line, properties), "{}").utf8)
        let whole = try RecordingFormat.geoJSON.read(text)
        for place in text.indices {
            var reader = RecordingFormat.geoJSON.reader()
            try reader.feed(Array(text[..<place]))
            var cut = reader
            #expect(throws: FormatError.self) { _ = try cut.finish() }
        }
        var reader = RecordingFormat.geoJSON.reader()
        for byte in text { try reader.feed([byte]) }
        #expect(try reader.finish() == whole)
        var damaged = RecordingFormat.geoJSON.reader()
        #expect(throws: FormatError.self) { try damaged.feed(text.dropLast(4) + [0]) }
        #expect(damaged.salvage().tracks == whole.tracks)
    }

    @Test func `the content tells the format`() {
        #expect(RecordingFormat(head: Array(Self.line.utf8)) == .geoJSON)
        #expect(RecordingFormat(head: Array("\u{FEFF}\n {".utf8)) == .geoJSON)
        #expect(RecordingFormat(head: Array("[1]".utf8)) == nil)
    }
}
