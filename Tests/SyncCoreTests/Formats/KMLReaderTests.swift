@testable import SyncCore
import Harness
import Testing

@Suite struct KMLReaderTests {
    private static func read(_ placemark: String) throws -> ImportedFile {
        let text = """
            <kml xmlns:gx="http://www.google.com/kml/ext/2.2"><Document>
            <Placemark><name>Out</name><description>d</description>\(placemark)</Placemark>
            </Document></kml>
            """
        return try RecordingFormat.kml.read(Array(text.utf8))
    }

    private static func part(_ seconds: Range<Int>, _ rest: String = "") -> String {
        "<gx:Track>"
            + seconds.map { "<when>2020-12-31T00:00:0\($0)Z</when>" }.joined()
            + seconds.map { "<gx:coord>5.\($0) 52.25 -\($0).5</gx:coord>" }.joined()
            + rest + "</gx:Track>"
    }

    @Test func `times and places are put together, and arrays belong to them`() throws {
        let array = """
            <ExtendedData><SchemaData><gx:SimpleArrayData name="heartrate">
            <gx:value>99</gx:value><gx:value></gx:value><gx:value>101</gx:value>
            </gx:SimpleArrayData></SchemaData></ExtendedData>
            """
        let track = try #require(try Self.read(Self.part(0..<3, array)).tracks.first)
        #expect(track.name == "Out" && track.notes == "d")
        let samples = Array(track.samples)
        #expect(samples.map { $0[.longitude] } == [5, 5.1, 5.2])
        #expect(samples.map { $0[.altitude] } == [-0.5, -1.5, -2.5])
        #expect(samples.map { $0[.heartRate] } == [99, nil, 101])
    }

    @Test func `the parts of a multi-track are the segments of one`() throws {
        let file = try Self.read(
            "<gx:MultiTrack>\(Self.part(0..<2))\(Self.part(4..<5))</gx:MultiTrack>"
        )
        #expect(file.tracks.map { $0.samples.map { $0[count: .segment] } } == [[nil, nil, 1]])
    }

    @Test func `lists of different length, and times that go back, lose nothing that has a time`()
        throws
    {
        let file = try Self.read(
            """
            <gx:Track><when>2020-12-31T00:00:05Z</when><when>2020-12-31T00:00:01Z</when>
            <gx:coord>5 52</gx:coord></gx:Track>
            <LineString><coordinates>1,2 3,4</coordinates></LineString>
            <Point><coordinates>1,2</coordinates></Point>
            """
        )
        let samples = file.tracks.flatMap { Array($0.samples) }
        #expect(samples.map(\.isPoint) == [true, false])
        #expect(file.passedOver == [.route: 1])
        #expect(
            file.waypoints.map(\.position) == [
                Coordinate(latitude: 20_000_000, longitude: 10_000_000)
            ]
        )
    }

    @Test func `a placemark with a point is a place, at a time where it tells one`() throws {
        let file = try RecordingFormat.kml.read(
            Array(
                """
                <kml><Document><Placemark><name>Buoy</name><description>red</description>
                <TimeStamp><when>2026-05-01T10:00:00Z</when></TimeStamp>
                <Point><coordinates>5.31045,52.85123,0</coordinates></Point></Placemark>
                <Placemark><Point><coordinates>5.3,91</coordinates></Point></Placemark>
                <Placemark><name>Quay</name><Point><coordinates> 5, 52 </coordinates></Point>
                </Placemark></Document></kml>
                """.utf8
            )
        )
        #expect(file.waypoints.map(\.name) == ["Buoy", "Quay"])
        #expect(file.waypoints.map(\.notes) == ["red", ""])
        #expect(file.waypoints[0].time?.milliseconds == 1_777_629_600_000)
        #expect(file.waypoints[1].time == nil)
        #expect(file.passedOver == [.waypoint: 1])
    }

    @Test func `what stands before the damage is saved`() throws {
        var reader = RecordingFormat.kml.reader()
        let text =
            "<kml><Placemark>" + Self.part(0..<3).replacing("</gx:Track>", with: "<gx:coord>")
        #expect(throws: FormatError.self) {
            try reader.feed(Array(text.utf8))
            _ = try reader.finish()
        }
        #expect(reader.salvage().tracks.map(\.samples.count) == [3])
    }

    @Test func `an impossible place or time costs its point`() throws {
        var reader = RecordingFormat.kml.reader()
        let text = """
            <kml><Placemark><gx:Track><when>2020-12-31T00:00:01Z</when><when>never</when>
            <when>2020-12-31T00:00:03Z</when><gx:coord>5 95</gx:coord><gx:coord>5 51</gx:coord>
            <gx:coord>5 52</gx:coord></gx:Track></Placemark></kml>
            """
        try reader.feed(Array(text.utf8))
        let error = #expect(throws: FormatError.self) { try reader.finish() }
        #expect(error?.reason == .badTime("never"))
        let samples = reader.salvage().tracks.flatMap { Array($0.samples) }
        #expect(samples.map { $0[.latitude] } == [nil, 52])
        #expect(samples.map { $0[.longitude] } == [nil, 5])
    }

    @Test(.nightly) func `a part may be as long as a file`() throws {
        let count = 500_001
        let times = String(repeating: "<when>2020-12-31T00:00:00Z</when>", count: count)
        let file = try Self.read("<Track>\(times)</Track>")
        #expect(file.tracks.map(\.samples.count) == [count])
    }

    @Test func `arrays are known by our names too, unknown ones are passed over`() throws {
        func array(_ name: String, _ values: String...) -> String {
            "<gx:SimpleArrayData name=\"\(name)\">"
                + values.map { "<gx:value>\($0)</gx:value>" }.joined() + "</gx:SimpleArrayData>"
        }
        let arrays =
            array("Heel", "-12.5", "") + array("latitude", "1", "2") + array("gain", "3", "4")
            + array("channel-4711", "7", "x") + array("course", "1", "2")
            + array("bearing", "", "3.5")
        let data = "<ExtendedData><SchemaData>\(arrays)</SchemaData></ExtendedData>"
        let file = try Self.read(Self.part(0..<2, data))
        let samples = file.tracks.flatMap { Array($0.samples) }
        #expect(samples.map { $0[.heel] } == [-12.5, nil])
        #expect(samples.map { $0[.latitude] } == [52.25, 52.25])
        #expect(samples.map { $0[count: Channel(number: 4711)] } == [7, nil])
        #expect(samples.map { $0[.course] } == [nil, 3.5])
        #expect(samples.map(\.readings.count) == [6, 5])
        #expect(file.passedOver == [.value: 1])
    }

    @Test func `an empty time is that of a point without one, of no place it is nothing`() throws {
        let file = try Self.read(
            """
            <gx:MultiTrack><gx:Track><when/><gx:coord/></gx:Track>
            <gx:Track><when/><when>2020-12-31T00:00:01Z</when><when> </when><when></when>
            <gx:coord>5 51</gx:coord><gx:coord>5 52</gx:coord><gx:coord>5 53</gx:coord>
            <gx:coord></gx:coord><gx:coord>5 54</gx:coord></gx:Track>
            <gx:Track></gx:Track>
            <gx:Track><when/><gx:coord>5 55</gx:coord></gx:Track></gx:MultiTrack>
            """
        )
        let samples = file.tracks.flatMap { Array($0.samples) }
        #expect(samples.map { $0[.latitude] } == [51, 52, 53, 55])
        #expect(samples.map { $0.time == nil } == [true, false, true, true])
        #expect(samples.map { $0[count: .segment] } == [nil, nil, nil, 1])
    }

    @Test func `an impossible place of a line costs its readings`() throws {
        var reader = RecordingFormat.kml.reader()
        let text = """
            <kml><Placemark><ExtendedData><Data name="wake:recorded"><value>1</value></Data>
            <SchemaData><gx:SimpleArrayData name="heel"><gx:value>1</gx:value>
            <gx:value>2</gx:value><gx:value>3</gx:value></gx:SimpleArrayData></SchemaData>
            </ExtendedData><LineString><coordinates>5,51 5,95 5,53</coordinates></LineString>
            </Placemark></kml>
            """
        try reader.feed(Array(text.utf8))
        #expect(throws: FormatError.self) { try reader.finish() }
        let samples = reader.salvage().tracks.flatMap { Array($0.samples) }
        #expect(samples.map { $0[.latitude] } == [51, 53])
        #expect(samples.map { $0[.heel] } == [1, 3])
    }

    @Test func `a comment is no element`() {
        let text = "<?xml version='1.0'?><!-- was <kml> --><gpx></gpx>"
        #expect(RecordingFormat(head: Array(text.utf8)) == .gpx)
    }

    @Test(arguments: ["5", "5 95", "x 1", "5 52 99999999", "1 2 3 4"])
    func `a place that is none is refused`(text: String) {
        #expect(throws: FormatError.self) {
            try Self.read("<gx:Track><gx:coord>\(text)</gx:coord></gx:Track>")
        }
    }
}
