@testable import SyncCore
import Testing

@Suite struct AlikeTracksTests {
    private let outing = Outing()

    private func take(
        _ samples: [Sample],
        as number: Int,
        at offsetMinutes: Int? = nil,
        on device: TestDevice
    ) async throws -> Identifier {
        var track = ImportedTrack(name: "file \(number)", samples: samples)
        track.note(offsetMinutes.flatMap { UTCOffset(minutes: $0) })
        return try await device.replica.write { [track, now = device.moment(Time.start)] in
            try $0.imports.insert(
                track,
                as: Self.name(number),
                into: TestDevice.space,
                now: now
            )
        }.track
    }

    private static func name(_ number: Int) -> ImportName {
        ImportName(file: Digest(of: "\(number)".utf8), place: 0)
    }

    private func alike(_ samples: [Sample], on device: TestDevice) async throws -> [DuplicateTrack]
    {
        try await device.replica.read {
            try $0.imports.duplicates(
                like: ImportedTrack(samples: samples),
                as: Self.name(99),
                in: TestDevice.space
            )
        }
    }

    @Test func `the track that is like another is found among many`() async throws {
        let device = try await TestDevice.joined(1)
        for day in 1..<20 {
            let start = Time.start + Int64(day) * (4 * Time.hour + 420_000)
            _ = try await take(Outing(start: start).samples, as: day, on: device)
        }
        let same = try await take(outing.seen(every: 4, offBy: 5), as: 50, on: device)
        let found = try await alike(outing.samples, on: device)
        #expect(found == [DuplicateTrack(track: same, shiftMilliseconds: 0, isCovered: true)])
        #expect(
            try await alike(Outing(start: Time.start - 90 * Time.hour).samples, on: device) == []
        )
    }

    @Test func `a track in the trash and the track itself are not judged`() async throws {
        let device = try await TestDevice.joined(1)
        let id = try await take(outing.samples, as: 99, on: device)
        #expect(try await alike(outing.samples, on: device) == [])
        let other = try await take(outing.samples, as: 1, on: device)
        #expect(try await alike(outing.samples, on: device).map(\.track) == [other])
        try await device.set("deleted", .bool(true), of: other, at: Time.start)
        #expect(try await alike(outing.samples, on: device) == [])
        #expect(id != other)
    }

    @Test func `a track that tells more is not covered`() async throws {
        let device = try await TestDevice.joined(1)
        _ = try await take(outing.samples, as: 1, on: device)
        #expect(try await alike(outing.seen(), on: device).map(\.isCovered) == [false])
        #expect(try await alike(outing.samples, on: device).map(\.isCovered) == [true])
    }

    @Test func `a track of which chunks are missing is not covered`() async throws {
        let (one, two) = (try await TestDevice.joined(1), try await TestDevice.joined(2))
        var log = LogDouble(keys: TestDevice.spaceKeys)
        _ = try await take(outing.samples, as: 1, on: one)
        for device in [one, two] { try await device.settle(&log, at: Time.start) }
        #expect(try await alike(outing.samples, on: two) == [])
        try await two.fetchChunks(from: log)
        #expect(try await alike(outing.samples, on: two).map(\.isCovered) == [true])
    }

    @Test func `what takes the place of a track keeps what a person wrote`() async throws {
        let device = try await TestDevice.joined(1)
        let old = try await take(outing.seen(every: 2), as: 1, on: device)
        let new = try await take(outing.samples, as: 2, on: device)
        try await device.set("notes", .text("with Ada"), of: old, at: Time.start)
        let told: [(Text, Value)] = [
            ("device", .text("watch")), ("totals", .map(["ascent": .integer(7)])),
        ]
        try await device.replica.write { [now = device.moment(Time.start)] in
            try $0.rows.write(
                told.map { Edit(Key("track", .id(old), $0), $1, origin: .file) },
                in: TestDevice.space,
                at: now
            )
        }
        try await device.replica.write { [now = device.moment(Time.start + 1)] in
            try $0.imports.replace(
                old,
                by: new,
                in: TestDevice.space,
                now: now
            )
        }
        let tracks = try await device.replica.read { try $0.tracks.all(in: TestDevice.space) }
        #expect(tracks.map(\.id) == [new] && tracks.first?.name == "file 2")
        #expect(try await device.value("notes", of: new) == .text("with Ada"))
        #expect(try await device.value("device", of: new) == .text("watch"))
        #expect(try await device.value("totals", of: new) == .map(["ascent": .integer(7)]))
        #expect(tracks.first?.start == TrackStart(UnixTime(milliseconds: Time.start)))
        let trash = try await device.replica.read {
            try $0.tracks.all(in: TestDevice.space, deleted: true)
        }
        #expect(trash.map(\.id) == [old] && trash.first?.sampleCount == 900)
    }

    @Test(
        arguments: [
            (nil, 120, 60, 120), (nil, 120, nil, 120), (60, nil, 120, 120), (60, nil, nil, 60),
            (nil, nil, nil, nil),
        ] as [(Int?, Int?, Int?, Int?)]
    )
    func `what takes the place of a track has its clocks, a person's before a file's`(
        file: Int?,
        person: Int?,
        own: Int?,
        expected: Int?
    ) async throws {
        let device = try await TestDevice.joined(1)
        let old = try await take(outing.samples, as: 1, at: file, on: device)
        let new = try await take(outing.samples, as: 2, at: own, on: device)
        let time = UnixTime(milliseconds: Time.start)
        if let person {
            let told = TrackStart(time, offset: UTCOffset(minutes: person))
            try await device.set("start", told.value, of: old, at: Time.start)
        }
        let now = device.moment(Time.start + 1)
        try await device.replica.write {
            try $0.imports.replace(old, by: new, in: TestDevice.space, now: now)
        }
        let start = try await device.replica.read { try $0.tracks.find(new, in: TestDevice.space) }?
            .start
        #expect(start == TrackStart(time, offset: expected.flatMap { UTCOffset(minutes: $0) }))
    }
}
