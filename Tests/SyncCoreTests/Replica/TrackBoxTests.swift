@testable import SyncCore
import Testing

/// What the list of tracks keeps so that they are found again.
@Suite struct TrackBoxTests {
    private func track(_ id: Identifier, on device: TestDevice) async throws -> Track {
        try #require(try await device.replica.read { try $0.tracks.find(id, in: TestDevice.space) })
    }

    @Test func `the box is around all points, packed or not, live and saved`() async throws {
        let device = try await TestDevice.joined(1)
        var recording = try await device.replica.write { [now = device.moment(Time.start)] in
            try $0.recordings.start(
                name: "sail",
                sport: nil,
                in: TestDevice.space,
                at: now
            )
        }
        let samples = RecordingTests.samples(count: 6000)
        let box = ChunkSummary(of: samples).bounds.box
        for start in [0, 3000] {
            recording = try await device.replica.write {
                [recording, now = device.moment(Time.start)] in
                try $0.recordings.append(
                    Array(samples[start..<start + 3000]),
                    to: recording,
                    at: now
                )
            }
            let expected = ChunkSummary(of: samples[..<(start + 3000)]).bounds.box
            #expect(try await track(recording.track, on: device).box == expected)
        }
        try await device.replica.write { [now = device.moment(Time.start), recording] in
            try $0.recordings.stop(recording, at: now)
        }
        #expect(try await track(recording.track, on: device).box == box)
        #expect(
            try await device.replica.read { try $0.tracks.all(in: TestDevice.space) }.first?.box
                == box
        )
    }

    @Test func `a track without points has no box, and notes are those of its row`() async throws {
        let device = try await TestDevice.joined(1)
        let id = Identifier(number: 7)
        let key = Key(TrackField.collection, .id(id), TrackField.notes)
        try await device.replica.write { [now = device.moment(Time.start)] in
            try $0.rows.write(
                [Edit(key, .text("calm"))],
                in: TestDevice.space,
                at: now
            )
        }
        let track = try await track(id, on: device)
        #expect(track.box == nil)
        #expect(track.notes == "calm")
    }
}
