@testable import SyncCore
import Testing

@Suite struct ImportingTests {
    private let file = Digest(of: "file".utf8)
    private let track = ImportedTrack(
        name: "Lake",
        sport: "walking",
        samples: RecordingTests.samples(count: 5000)
    )

    private func take(
        _ track: ImportedTrack,
        from file: Digest,
        at place: Int = 0,
        on device: TestDevice
    ) async throws -> ImportedRow {
        try await device.replica.write { [now = device.moment(Time.start)] in
            try $0.imports.insert(
                track,
                as: ImportName(file: file, place: place),
                into: TestDevice.space,
                now: now
            )
        }
    }

    @Test func `T4 the same file on two devices is one track`() async throws {
        let (one, two) = (try await TestDevice.joined(1), try await TestDevice.joined(2))
        var log = LogDouble(keys: TestDevice.spaceKeys)
        let first = try await take(track, from: file, on: one)
        #expect(first.isNew)
        #expect(try await !take(track, from: file, on: one).isNew)
        #expect(try await take(track, from: file, on: two).track == first.track)
        #expect(try await take(track, from: file, at: 1, on: two).track != first.track)
        for device in [one, two, one, two] { try await device.settle(&log, at: Time.start) }
        for device in [one, two] {
            try await device.fetchChunks(from: log)
            let tracks = try await device.replica.read { try $0.tracks.all(in: TestDevice.space) }
            #expect(tracks.count == 2)
            #expect(tracks.allSatisfy { $0.sampleCount == 5000 && $0.missingChunkCount == 0 })
            let samples = try await device.replica.read {
                try $0.tracks.samples(of: first.track, in: TestDevice.space)
            }
            #expect(samples == Array(track.samples))
            #expect(try await device.summary.fingerprint == log.fingerprint())
            #expect(try await device.replica.read { try $0.maintenance.verify() }.faults == [])
        }
    }

    @Test func `T13 a rename and a deletion stay when the file is imported again`() async throws {
        let (one, two) = (try await TestDevice.joined(1), try await TestDevice.joined(2))
        var log = LogDouble(keys: TestDevice.spaceKeys)
        let row = try await take(track, from: file, on: one)
        try await one.set("name", .text("renamed"), of: row.track, at: Time.start)
        try await one.set("deleted", .bool(true), of: row.track, at: Time.start)
        #expect(try await take(track, from: file, on: one).isDeleted)
        // The other imports it offline, later by the clock.
        #expect(try await take(track, from: file, on: two).isNew)
        for device in [one, two, one, two] {
            try await device.settle(&log, at: Time.start + Time.hour)
        }
        for device in [one, two] {
            let track = try await device.replica.read {
                try $0.tracks.find(row.track, in: TestDevice.space)
            }
            #expect(track?.name == "renamed")
            #expect(track?.isDeleted == true)
            #expect(try await take(self.track, from: file, on: device).isDeleted)
        }
    }

    @Test func `what comes from a file is written over nothing`() async throws {
        let one = try await TestDevice.joined(1)
        let row = Row.id(Identifier(number: 1))
        try await one.set("name", .text("mine"), at: Time.start)
        let edits = [("name", "theirs"), ("notes", "theirs")].map { field, text in
            Edit(Key("track", row, Text(field)), .text(Text(text)), origin: .file)
        }
        let now = one.moment(Time.start + 1)
        #expect(
            try await one.replica.write { try $0.rows.write(edits, in: TestDevice.space, at: now) }
                == 1
        )
        #expect(try await one.value("name") == .text("mine"))
        #expect(try await one.value("notes") == .text("theirs"))
    }

    @Test func `the start has the offset that the file tells, and keeps what a person says`()
        async throws
    {
        let one = try await TestDevice.joined(1)
        let text =
            "<gpx><trk><trkseg><trkpt lat=\"1\" lon=\"2\"><time>2014-06-01T01:00:00+02:00</time>"
            + "</trkpt></trkseg></trk></gpx>"
        let file = try RecordingFormat.gpx.read(Array(text.utf8))
        let imported = try #require(file.tracks.first)
        let row = try await take(imported, from: self.file, on: one)
        let instant = UnixTime(milliseconds: 1_401_577_200_000)
        let start = TrackStart(instant, offset: UTCOffset(minutes: 120))
        #expect(try await one.value("start", of: row.track) == start.value)
        let later = TrackStart(instant, zone: ZoneName("Asia/Tokyo"))
        try await one.set("start", later.value, of: row.track, at: Time.start)
        _ = try await take(imported, from: self.file, on: one)
        let track = try await one.replica.read {
            try $0.tracks.find(row.track, in: TestDevice.space)
        }
        #expect(track?.start == later)
    }

    @Test(
        .enabled(if: SharedData.isHere, "the recordings are not here"),
        arguments: [
            "cerknicko-jezero", "cerknicko-without-times", "gpx_with_garmin_extension",
            "mtk_logger_m241_multiple_tracks", "unicode_with_bom",
        ]
    )
    func `a real file reaches a second replica sample by sample`(name: String) async throws {
        let bytes = try SharedData.bytes("gpx/\(name).gpx")
        let gpx = try RecordingFormat.gpx.read(bytes)
        let (one, two) = (try await TestDevice.joined(1), try await TestDevice.joined(2))
        var log = LogDouble(keys: TestDevice.spaceKeys)
        var ids: [Identifier] = []
        for (place, track) in gpx.tracks.enumerated() {
            ids.append(try await take(track, from: Digest(of: bytes), at: place, on: one).track)
        }
        for device in [one, two] { try await device.settle(&log, at: Time.start) }
        try await two.fetchChunks(from: log)
        for (id, track) in zip(ids, gpx.tracks) {
            let samples = try await two.replica.read {
                try $0.tracks.samples(of: id, in: TestDevice.space)
            }
            #expect(samples == Array(track.samples))
            let (mine, theirs) = (
                try await one.replica.read { try $0.tracks.find(id, in: TestDevice.space) },
                try await two.replica.read { try $0.tracks.find(id, in: TestDevice.space) }
            )
            #expect(mine == theirs)
            #expect(theirs?.name ?? "" == track.name)
        }
    }
}
