@testable import SyncCore
import Testing

/// Edits of tracks on devices: what they show, what they add up to, and undoing them.
@Suite struct EditsTests {
    private static let space = TestDevice.space

    @Test func `a trim and hidden ranges leave samples out, and undoing brings them back`()
        async throws
    {
        let device = try await TestDevice.joined(1)
        let track = try await device.sail()
        let before = try await device.tracks()
        let samples = try await device.replica.read {
            try $0.tracks.samples(of: track, in: Self.space)
        }
        var names: [SampleName] = []
        for index in [100, 5000, 5001, 6000, 7000, 8900] {
            names.append(try await device.sampleName(index, of: track))
        }
        let range = SampleRange(from: names[0], to: names[5])
        try await device.edit(Edit.trim(track, to: range))
        let trimmed = try #require(try await device.tracks().first)
        #expect(trimmed.sampleCount == 8800)
        #expect(trimmed.start?.time == samples[100].time && trimmed.finish == samples[8899].time)
        try await device.expectSound()
        let point = [SampleRange(from: names[1], to: names[2])]
        let point2 = try await device.replica.read {
            $0.editing.hide(point, of: track, isBridged: true)
        }
        try await device.edit(point2)
        let bridged = try #require(try await device.tracks().first)
        #expect(bridged.sampleCount == 8799)
        #expect(abs(bridged.distanceMetres - trimmed.distanceMetres) < 2)
        let gap = [SampleRange(from: names[3], to: names[4])]
        let gaps = try await device.replica.read {
            $0.editing.hide(gap, of: track, isBridged: false)
        }
        try await device.edit(gaps)
        let cut = try #require(try await device.tracks().first)
        #expect(cut.sampleCount == 7799)
        #expect(cut.distanceMetres < bridged.distanceMetres * 0.9)
        let left = try await device.replica.read {
            try $0.tracks.samples(of: track, in: Self.space)
        }
        #expect(Set(left.map { $0[count: .segment] ?? 0 }) == [0, 1])
        try await device.expectSound()
        for expected in [bridged, trimmed, before[0]] {
            let undoing = try await device.replica.write { [now = device.moment(Time.start)] in
                try $0.actions.undo(in: Self.space, at: now)
            }
            #expect(undoing?.overtaken == 0)
            #expect(try await device.tracks() == [expected])
        }
        let further = try await device.replica.write { [now = device.moment(Time.start)] in
            try $0.actions.undo(in: Self.space, at: now)
        }
        #expect(further == nil)
        _ = try await device.replica.write { [now = device.moment(Time.start)] in
            try $0.actions.redo(in: Self.space, at: now)
        }
        #expect(try await device.tracks() == [trimmed])
    }

    @Test func `a split and a join add up to what was there, and can be undone`() async throws {
        let device = try await TestDevice.joined(1)
        let track = try await device.sail()
        let before = try await device.tracks()
        let total = try await device.metres()
        let samples = try await device.replica.read {
            try $0.tracks.samples(of: track, in: Self.space)
        }
        let parts = try await device.split(track, at: 4500)
        #expect(Set(try await device.tracks().map(\.id)) == Set(parts))
        #expect(try await device.tracks().map(\.name) == ["sail (2)", "sail (1)"])
        #expect(abs(try await device.metres() - total) < 0.001)
        let joined = try await device.join(parts)
        #expect(try await device.tracks().map(\.id) == [joined])
        #expect(abs(try await device.metres() - total) < 0.001)
        // The sample at the cut ends one part and begins the other, and is one again.
        let again = try await device.replica.read {
            try $0.tracks.samples(of: joined, in: Self.space)
        }
        #expect(again == samples)
        try await device.expectSound()
        for _ in 0..<2 {
            _ = try await device.replica.write { [now = device.moment(Time.start)] in
                try $0.actions.undo(in: Self.space, at: now)
            }
        }
        #expect(try await device.tracks() == before)
    }

    @Test func `the way over a gap is nobody's where a split says so`() async throws {
        let device = try await TestDevice.joined(1)
        let track = try await device.sail(count: 100)
        let cut = try await device.sampleName(50, of: track)
        let split = try await device.replica.read {
            try $0.editing.split(
                track,
                before: [cut],
                endsWays: true,
                in: Self.space
            )
        }
        let total = try await device.metres()
        try await device.edit(split.edits)
        #expect(try await device.tracks().map(\.sampleCount) == [50, 50])
        #expect(try await device.metres() < total - 1)
        try await device.expectSound()
    }

    @Test func `T9 points that come after a split are the last part's`() async throws {
        let device = try await TestDevice.joined(1)
        var recording = try await device.recordedSail(count: 5000)
        let parts = try await device.split(recording.track, at: 1000)
        let late = RecordingTests.samples(count: 3000, from: 5000)
        recording = try await device.replica.write { [recording, now = device.moment(Time.start)] in
            try $0.recordings.append(late, to: recording, at: now)
        }
        let counts = try await device.tracks().map { [$0.id: $0.sampleCount] }
        #expect(counts == [[parts[1]: 7000], [parts[0]: 1001]])
        #expect(try await device.tracks().map(\.status) == [.recording, .stopped])
        try await device.replica.write { [recording, now = device.moment(Time.start)] in
            try $0.recordings.stop(recording, at: now)
        }
        #expect(try await device.tracks().map(\.sampleCount) == [7000, 1001])
        #expect(try await device.tracks().map(\.status) == [.stopped, .stopped])
        try await device.expectSound()
    }

    @Test func `a join keeps what is not in the trash`() async throws {
        let device = try await TestDevice.joined(1)
        let one = try await device.sail(count: 3000)
        let two = try await device.sail(count: 2000, from: 4000)
        let joined = try await device.join([one, two])
        let whole = try await device.metres()
        try await device.set("deleted", .bool(true), of: two, at: Time.start + 1)
        #expect(try await device.tracks().map(\.id) == [joined])
        #expect(try await device.tracks()[0].sampleCount == 3000)
        let trash = try await device.replica.read {
            try $0.tracks.all(in: Self.space, deleted: true)
        }
        #expect(trash.map(\.id) == [two])
        #expect(abs(try await device.metres() + trash[0].distanceMetres - whole) < 0.001)
        try await device.set("deleted", .bool(true), of: one, at: Time.start + 2)
        #expect(try await device.tracks().isEmpty)
        try await device.set("deleted", .null, of: one, at: Time.start + 3)
        try await device.set("deleted", .null, of: two, at: Time.start + 3)
        #expect(abs(try await device.metres() - whole) < 0.001)
    }

    @Test func `what is written over since is not undone`() async throws {
        let (one, two) = (try await TestDevice.joined(1), try await TestDevice.joined(2))
        var log = LogDouble(keys: TestDevice.spaceKeys)
        let track = try await one.sail(count: 100)
        try await one.edit([
            Edit(track, "name", .text("mine")), Edit(track, "gear", .text("jib")),
        ])
        try await one.settle(&log, at: Time.start)
        try await two.settle(&log, at: Time.start + 1)
        try await two.edit([Edit(track, "name", .text("theirs"))], at: Time.start + 2)
        try await two.settle(&log, at: Time.start + 3)
        try await one.settle(&log, at: Time.start + 4)
        let undoing = try await one.replica.write { [now = one.moment(Time.start + 5)] in
            try $0.actions.undo(in: Self.space, at: now)
        }
        #expect(undoing?.overtaken == 1)
        let cells = try await one.replica.read {
            try $0.rows.cells("track", .id(track), in: Self.space)
        }
        #expect(cells["name"]?.value.text == "theirs" && cells["gear"]?.value == .null)
        let key = Key("track", .id(track), "name")
        #expect(
            try await one.replica.read { try $0.history.earlierValue(of: key, in: Self.space) }
                == .text("mine")
        )
    }

    @Test func `edits that cannot be are refused`() async throws {
        let device = try await TestDevice.joined(1)
        let track = try await device.sail(count: 100)
        let first = try await device.sampleName(0, of: track)
        let stranger = SampleName(stream: 5, index: 50)
        for (cuts, error) in [
            ([], TrackEditError.emptyPart), ([first], .emptyPart), ([stranger], .unknownSample),
        ] {
            await #expect(throws: error) {
                _ = try await device.replica.read {
                    try $0.editing.split(track, before: cuts, in: Self.space)
                }
            }
        }
        await #expect(throws: TrackEditError.nothingToJoin) {
            _ = try await device.replica.read {
                try $0.editing.join([track, track], in: Self.space)
            }
        }
        let parts = try await device.split(track, at: 50)
        await #expect(throws: TrackEditError.notShown(track)) {
            _ = try await device.replica.read {
                try $0.editing.join([track, parts[0]], in: Self.space)
            }
        }
    }
}
