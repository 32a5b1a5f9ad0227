@testable import SyncCore
import Testing

@Suite struct GPXReaderTests {
    private static func read(_ points: String) throws -> [Sample] {
        let text = "<gpx><trk><trkseg>\(points)</trkseg></trk></gpx>"
        return try RecordingFormat.gpx.read(Array(text.utf8)).tracks.flatMap(\.samples)
    }

    private static func reason(_ text: String) -> FormatError.Reason? {
        do throws(FormatError) {
            _ = try RecordingFormat.gpx.read(Array(text.utf8))
            return nil
        } catch {
            return error.reason
        }
    }

    @Test func `readings are known by local name, with any prefix and nesting`() throws {
        let samples = try Self.read(
            """
            <trkpt lat="47.5" lon="-8.25"><ele>12.34</ele><time>2020-01-01T00:00:00.5Z</time>
            <extensions><ns3:TrackPointExtension><ns3:hr>120</ns3:hr><ns3:cad>80</ns3:cad>
            <ns3:atemp>-3.5</ns3:atemp></ns3:TrackPointExtension><power>250</power>
            <wake:heel>-12.3</wake:heel><x:channel-300>-9</x:channel-300></extensions></trkpt>
            """
        )
        #expect(samples.count == 1)
        let sample = try #require(samples.first)
        #expect(sample.time == UnixTime(milliseconds: 1_577_836_800_500))
        #expect(sample[count: .latitude] == 475_000_000)
        #expect(sample[count: .longitude] == -82_500_000)
        #expect(sample[count: .altitude] == 123)
        #expect(sample[count: .heartRate] == 120)
        #expect(sample[count: .cadence] == 80)
        #expect(sample[count: .temperature] == -35)
        #expect(sample[count: .power] == 250)
        #expect(sample[count: .heel] == -123)
        #expect(sample[count: Channel(number: 300)] == -9)
        #expect(sample[count: .segment] == nil)
    }

    @Test func `Humminbird writes its depth in centimetres`() throws {
        let text = """
            <gpx xmlns:h="http://humminbird.com"><trk><trkseg><trkpt lat="1" lon="2"><extensions>
            <h:depth>1234</h:depth></extensions></trkpt></trkseg></trk></gpx>
            """
        let file = try RecordingFormat.gpx.read(Array(text.utf8))
        #expect(file.tracks.first?.samples.first?[count: .depth] == 123)
    }

    @Test func `segments are numbered after the first`() throws {
        let point = "<trkpt lat='1' lon='2'/>"
        let samples = try Self.read("\(point)</trkseg><trkseg/><trkseg>\(point)\(point)")
        #expect(samples.map { $0[count: .segment] } == [nil, 1, 1])
    }

    @Test func `names, sport, notes, routes and waypoints`() throws {
        let text = """
            <gpx><wpt lat="1" lon="2"><name>Buoy</name><cmt>red</cmt></wpt><wpt lat="91" lon="2"/><rte><name>no</name></rte>
            <trk><name> A &amp; <![CDATA[<B>]]> </name><cmt>c</cmt><desc>d</desc><type>sail</type>
            </trk></gpx>
            """
        let file = try RecordingFormat.gpx.read(Array(text.utf8))
        let track = ImportedTrack(name: "A & <B>", sport: "sail", notes: "d\nc")
        #expect(file.tracks == [track])
        #expect(file.passedOver[.route] == 1)
        #expect(file.passedOver[.waypoint] == 1)
        #expect(file.waypoints.map(\.name) == ["Buoy"])
        #expect(file.waypoints.map(\.notes) == ["red"])
    }

    @Test(arguments: ["nan", "inf", "0x1p3", "1e300", "90.0000001", "-91", "", "1,5", "1 2"])
    func `a bad coordinate is refused with its line`(latitude: String) {
        let text =
            "<gpx><trk><trkseg>\n<trkpt lat='1' lon='2'/>\n<trkpt lat='\(latitude)' lon='2'/>"
            + "</trkseg></trk></gpx>"
        let error = FormatError(line: 3, column: 1, reason: .badCoordinate("\(latitude) 2"))
        #expect(throws: error) {
            try RecordingFormat.gpx.read(Array(text.utf8))
        }
    }

    @Test func `a point's own values must be right`() {
        let (head, tail) = ("<gpx><trk><trkseg><trkpt lat='1'", "</trkpt></trkseg></trk></gpx>")
        let point = head + " lon='2'>"
        let height = point + "<ele>nan</ele>" + tail
        #expect(Self.reason(height) == .badNumber(element: "ele", "nan"))
        #expect(Self.reason(point + "<time>noon</time>" + tail) == .badTime("noon"))
        #expect(Self.reason(head + ">" + tail) == .missingCoordinate)
        #expect(Self.reason(height.replacing("</gpx>", with: "")) == .truncated)
    }

    @Test func `a bad value in an extension is counted and missing`() throws {
        let text = """
            <gpx><trk><trkseg><trkpt lat="1" lon="2"><extensions><hr>--</hr><cad/></extensions>
            </trkpt></trkseg></trk></gpx>
            """
        let file = try RecordingFormat.gpx.read(Array(text.utf8))
        #expect(file.passedOver[.value] == 1)
        #expect(file.tracks.first?.samples.first?.readings.count == 2)
    }
}

/// Documents that were made to hurt.
@Suite struct GPXHostileTests {
    private static func reason(_ document: [UInt8]) -> FormatError.Reason? {
        do throws(FormatError) {
            _ = try RecordingFormat.gpx.read(document)
            return nil
        } catch {
            return error.reason
        }
    }

    @Test func `an empty document, another root and a text are refused`() {
        #expect(Self.reason([]) == .truncated)
        #expect(Self.reason(Array("<kml/>".utf8)) == .notThisFormat)
        #expect(Self.reason(Array("hello".utf8)) != nil)
    }

    @Test func `a document type is refused`() {
        let bomb = "<!DOCTYPE gpx [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;'>]><gpx>&b;</gpx>"
        #expect(Self.reason(Array(bomb.utf8)) == .documentType)
    }

    @Test func `nesting is refused where it is too deep`() {
        let nested = "<gpx>" + String(repeating: "<a>", count: 200_000)
        #expect(Self.reason(Array(nested.utf8)) == .tooDeep)
    }

    @Test func `one element too many is refused`() throws {
        final class Deaf: XMLHandler {
            func start(_ name: String, _ attributes: [XMLAttribute]) {}
            func end(_ name: String, text: [UInt8]) {}
            func readsOn(after reason: FormatError.Reason) -> Bool { false }
        }
        func parse(_ count: Int) throws(FormatError) {
            let parser = XMLParser(handler: Deaf(), elementLimit: 10)
            let children = String(repeating: "<a/>", count: count - 1)
            try parser.feed(Array("<gpx>\n\(children)</gpx>".utf8))
            try parser.finish()
        }
        try parse(10)
        let error = #expect(throws: FormatError.self) { try parse(11) }
        #expect(error?.reason == .tooManyElements(limit: 10))
        guard case .text(line: 2, _) = error?.place else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(XMLParser.elementLimit == 50_000_000)
    }

    @Test func `a huge attribute and a huge text are refused`() {
        let huge = String(repeating: "x", count: 20 << 20)
        #expect(Self.reason(Array("<gpx a='\(huge)'/>".utf8)) == .tooLarge)
        #expect(Self.reason(Array("<gpx>\(huge)</gpx>".utf8)) == .tooLarge)
    }

    @Test(arguments: [1, 2, 3] as [UInt64]) func `noise is refused`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let noise = (0..<10_000).map { _ in UInt8.random(in: 0...255, using: &random) }
        #expect(Self.reason(noise) != nil)
        #expect(Self.reason(Array("<gpx>".utf8) + noise) != nil)
    }

    @Test func `thousands of channels in one point are refused`() {
        let elements = (100..<2000).map { "<channel-\($0)>1</channel-\($0)>" }.joined()
        let text = "<gpx><trk><trkseg><trkpt lat='1' lon='2'>\(elements)"
        #expect(Self.reason(Array(text.utf8)) == .tooLarge)
    }

    @Test(.enabled(if: SharedData.isHere, "the recordings are not here"))
    func `a truncated document is refused wherever it ends`() throws {
        let document = try SharedData.bytes("gpx/cerknicko-jezero.gpx")
        for end in stride(from: 0, to: document.count - 8, by: 1000) {
            #expect(Self.reason(Array(document[..<end])) == .truncated, "\(end)")
        }
    }
}
