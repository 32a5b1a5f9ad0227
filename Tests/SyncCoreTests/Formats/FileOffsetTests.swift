@testable import SyncCore
import Testing

/// What files tell of the clocks where they were recorded.
@Suite struct FileOffsetTests {
    /// Texts of times as files write them, and the minutes that they tell.
    static let times: [(String, Int?)] = [
        ("2014-06-01T10:00:00+02:00", 120), ("2014-06-01T02:30:00-0530", -330),
        ("2014-06-01T13:45:00+05:45", 345), ("2014-06-01T08:00:00+00:00", 0),
        ("2014-06-01T08:00:00Z", nil), ("2014-06-01T08:00:00-00:00", nil),
        ("2014-06-01T08:00:00", nil), ("2014-06-02T07:00:00+23:00", nil),
    ]

    private static func track(_ document: String, _ format: RecordingFormat) throws -> ImportedTrack
    {
        try #require(try format.read(Array(document.utf8)).tracks.first)
    }

    private static func gpx(_ times: String...) -> String {
        "<gpx><metadata><time>2001-01-01T00:00:00-09:00</time></metadata><trk><trkseg>"
            + times.map { "<trkpt lat=\"1\" lon=\"2\"><time>\($0)</time></trkpt>" }.joined()
            + "</trkseg></trk></gpx>"
    }

    @Test(arguments: times)
    func `GPX tells it with a point's time`(time: String, minutes: Int?) throws {
        let track = try Self.track(Self.gpx(time), .gpx)
        #expect(track.offset?.minutes == minutes)
        #expect(track.samples.first?.time?.iso8601 == "2014-06-01T08:00:00Z")
    }

    @Test func `of several the first counts`() throws {
        let track = try Self.track(
            Self.gpx(
                "2014-10-26T00:30:00Z",
                "2014-10-26T02:45:00+02:00",
                "2014-10-26T02:15:00+01:00"
            ),
            .gpx
        )
        #expect(track.offset?.minutes == 120)
    }

    @Test(arguments: times)
    func `TCX tells it with a time`(time: String, minutes: Int?) throws {
        let track = try Self.track(
            """
            <TrainingCenterDatabase><Activities><Activity><Lap StartTime="2014-06-01T08:00:00Z">
            <Track><Trackpoint><Time>\(time)</Time><Cadence>80</Cadence></Trackpoint></Track></Lap>
            </Activity></Activities></TrainingCenterDatabase>
            """,
            .tcx
        )
        #expect(track.offset?.minutes == minutes)
    }

    @Test(arguments: times)
    func `KML tells it with a time`(time: String, minutes: Int?) throws {
        let track = try Self.track(
            """
            <kml xmlns:gx="urn:gx"><Placemark><gx:Track><when>\(time)</when>
            <gx:coord>5 52 0</gx:coord></gx:Track></Placemark></kml>
            """,
            .kml
        )
        #expect(track.offset?.minutes == minutes)
    }

    @Test(arguments: times)
    func `GeoJSON tells it with a time, of a line or of a point`(time: String, minutes: Int?) throws
    {
        let line = """
            {"type":"Feature","properties":{"coordTimes":["\(time)","2014-06-01T09:00:00Z"]},
            "geometry":{"type":"LineString","coordinates":[[5,52],[5,53]]}}
            """
        let point = """
            {"type":"Feature","properties":{"time":"\(time)"},
            "geometry":{"type":"Point","coordinates":[5,52]}}
            """
        for document in [line, point] {
            #expect(try Self.track(document, .geoJSON).offset?.minutes == minutes)
        }
    }

    @Test func `a feature's offset is not that of the next`() throws {
        let lines = ["2014-06-01T10:00:00+02:00", "2014-06-01T08:00:00Z"].map { time in
            #"{"type":"Feature","properties":{"coordTimes":["\#(time)"]},"#
                + #""geometry":{"type":"LineString","coordinates":[[5,52]]}}"#
        }
        let document =
            #"{"type":"FeatureCollection","features":["# + lines.joined(separator: ",") + "]}"
        let tracks = try RecordingFormat.geoJSON.read(Array(document.utf8)).tracks
        #expect(tracks.map { $0.offset?.minutes } == [120, nil])
    }
}

/// Devices that tell it beside the time.
extension FileOffsetTests {
    /// A FIT file of one record, and an activity whose local time is so many seconds ahead of UTC.
    private static func fit(_ ahead: Int64?, at time: Int64 = 978_307_200) throws -> ImportedTrack {
        var fixture = FITFixture()
        fixture.define(0, 20, [FITFixture.timestamp, FITFixture.heartRate])
        fixture.add(0, [(978_307_200, 4), (120, 1)])
        if let ahead {
            fixture.define(1, 34, [FITFixture.timestamp, (5, 4, 0x86)])
            fixture.add(1, [(time, 4), (time + ahead, 4)])
        }
        return try #require(try RecordingFormat.fit.read(fixture.file).tracks.first)
    }

    @Test(
        arguments: [
            (nil, nil), (0, 0), (7200, 120), (7190, 120), (-34_199, -570), (20_703, 345),
            (50_400, 840), (-50_401, -840), (51_300, nil), (-86_400, nil),
        ] as [(Int64?, Int?)]
    )
    func `FIT tells it with the local time of the activity`(ahead: Int64?, minutes: Int?) throws {
        #expect(try Self.fit(ahead).offset?.minutes == minutes)
    }

    @Test(arguments: [100, 0xffff_ffff] as [Int64])
    func `FIT's seconds since a device was switched on, and none, tell nothing`(time: Int64) throws
    {
        #expect(try Self.fit(0, at: time).offset == nil)
    }

    /// The first two are the standard's own examples: Chatham and the Cook Islands.
    @Test(
        arguments: [
            ("GPZDA,234500,09,06,1995,-12,45", 765), ("GPZDA,013000,11,06,1995,10,30", -630),
            ("GPZDA,120000,01,06,2020,-01,00", 60), ("GPZDA,120000,01,06,2020,-00,30", 30),
            ("GPZDA,120000,01,06,2020,+05,00", -300), ("GPZDA,120000,01,06,2020,00,00", nil),
            ("GPZDA,120000,01,06,2020,,", nil), ("GPZDA,120000,01,06,2020,-1.5,00", nil),
            ("GPZDA,120000,01,06,2020,15,00", nil), ("GPZDA,120000,01,06,2020,01,60", nil),
            ("GPZDA,120000,01,06,2020,--1,00", nil), ("GPZDA,120000,01,06,2020", nil),
        ] as [(String, Int?)]
    )
    func `a log of NMEA 0183 tells it in ZDA, negative in the east`(
        body: String,
        minutes: Int?
    ) throws {
        let lines = [body, "GPRMC,120000,A,5200.0,N,00500.0,E,1.0,90.0,010620,,,A"].map {
            "$\($0)*\([$0.utf8.reduce(0, ^)].hexadecimal)\r\n"
        }
        #expect(try Self.track(lines.joined(), .nmea).offset?.minutes == minutes)
    }
}
