@testable import SyncCore
import Testing

@Suite struct TCXReaderTests {
    private static func document(_ activity: String) -> [UInt8] {
        Array(
            """
            <?xml version="1.0"?>
            <TrainingCenterDatabase xmlns:x="urn:x"><Activities>\(activity)</Activities>
            </TrainingCenterDatabase>
            """.utf8
        )
    }

    private static func point(_ second: Int, _ rest: String = "") -> String {
        "<Trackpoint><Time>2020-12-31T00:00:0\(second)Z</Time>\(rest)</Trackpoint>"
    }

    private static let place =
        "<Position><LatitudeDegrees>52.5</LatitudeDegrees><LongitudeDegrees>-5.25"
        + "</LongitudeDegrees></Position>"

    private static func read(_ activity: String) throws -> ImportedTrack {
        let file = try RecordingFormat.tcx.read(document(activity))
        return try #require(file.tracks.first)
    }

    @Test func `laps beyond the limit do not turn up in the next activity`() throws {
        let lap = "<Lap StartTime=\"2020-12-31T00:00:00Z\"></Lap>"
        let many = String(repeating: lap, count: ImportedFile.lapLimit + 1)
        let activities = "<Activity>\(many)</Activity><Activity></Activity>"
        let file = try RecordingFormat.tcx.read(Self.document(activities))
        #expect(file.tracks.map(\.laps.count) == [ImportedFile.lapLimit, 0])
    }

    @Test func `a trackpoint's readings are read, with and without a position`() throws {
        let track = try Self.read(
            """
            <Activity Sport="Running"><Notes> long </Notes>
            <Lap StartTime="2020-12-31T00:00:00Z"><TotalTimeSeconds>1.5</TotalTimeSeconds>
            <DistanceMeters>12.34</DistanceMeters><Calories>7</Calories><Track>
            \(Self.point(1, Self.place + """
                <AltitudeMeters>-3.25</AltitudeMeters><DistanceMeters>5</DistanceMeters>
                <HeartRateBpm><Value>150</Value></HeartRateBpm><Cadence>80</Cadence>
                <Extensions><x:TPX><x:Speed>2.5</x:Speed><x:Watts>210</x:Watts></x:TPX></Extensions>
                """))
            \(Self.point(2, "<HeartRateBpm><Value>151</Value></HeartRateBpm>"))
            </Track></Lap><Creator><Name>Edge 1040</Name></Creator></Activity>
            """
        )
        #expect(track.sport == "Running" && track.notes == "long" && track.device == "Edge 1040")
        let samples = Array(track.samples)
        try #require(samples.count == 2)
        #expect(samples[0][.latitude] == 52.5 && samples[0][.longitude] == -5.25)
        #expect(samples[0][.altitude] == -3.3 && samples[0][.speed] == 2.5)
        #expect(samples[0][.power] == 210 && samples[0][.cadence] == 80)
        #expect(!samples[1].isPoint && samples[1][.heartRate] == 151)
        #expect(track.laps.map(\.milliseconds) == [1500] && track.totals.centimetres == 1234)
        #expect(track.totals.kilocalories == 7)
    }

    @Test func `a second track in a lap is a new part, and a new lap is not`() throws {
        let part = { "<Track>\(Self.point($0, Self.place))</Track>" }
        let track = try Self.read(
            """
            <Activity><Lap StartTime="2020-12-31T00:00:00Z">\(part(0))\(part(1))</Lap>
            <Lap StartTime="2020-12-31T00:00:02Z">\(part(2))</Lap></Activity>
            """
        )
        #expect(track.samples.map { $0[count: .segment] } == [nil, 1, 1])
        #expect(track.laps.count == 2)
    }

    @Test(arguments: [
        ("<Time>today</Time>", FormatError.Reason.badTime("today")),
        (
            "<AltitudeMeters>high</AltitudeMeters>",
            .badNumber(element: "AltitudeMeters", "high")
        ),
        (
            "<Position><LatitudeDegrees>95</LatitudeDegrees></Position>",
            .badCoordinate("95 none")
        ),
    ])
    func `what is wrong is told with its line`(content: String, reason: FormatError.Reason) {
        let document = Self.document(
            "<Activity><Lap><Track>\n<Trackpoint>\(content)</Trackpoint></Track></Lap></Activity>"
        )
        do throws(FormatError) {
            _ = try RecordingFormat.tcx.read(document)
            Issue.record("it is read")
        } catch {
            #expect(error.reason == reason)
            guard case .text(line: 3, _) = error.place else {
                Issue.record("\(error)")
                return
            }
        }
    }

    @Test func `an impossible point is left out of what is saved`() throws {
        let bad = Self.point(1, Self.place).replacing("<Time>", with: "<Time>x")
        let points = bad + Self.point(2, Self.place) + bad + Self.point(3, Self.place)
        let text = Self.document(
            "<Activity><Lap><Track>\(points)</Track></Lap><Notes>n</Notes></Activity>"
        )
        var reader = RecordingFormat.tcx.reader()
        try reader.feed(text)
        #expect(throws: FormatError.self) { try reader.finish() }
        let track = try #require(reader.salvage().tracks.first)
        #expect(track.samples.count == 2)
        #expect(track.samples.allSatisfy { $0.time != nil && $0.isPoint })
        #expect(track.notes == "n")
    }

    @Test func `what stands before the damage is saved`() throws {
        let text = Self.document("<Activity><Lap><Track>\(Self.point(1, Self.place))<Track")
        var reader = RecordingFormat.tcx.reader()
        #expect(throws: FormatError.self) {
            try reader.feed(text)
            _ = try reader.finish()
        }
        #expect(reader.salvage().tracks.map(\.samples.count) == [1])
    }
}
