@testable import SyncCore
import Testing

@Suite struct ExportingTests {
    private static func samples(_ track: Identifier, on device: TestDevice) async throws -> [Sample]
    {
        let space = TestDevice.space
        return try await device.replica.read { replica in
            guard let row = try replica.tracks.find(track, in: space) else { return [] }
            var cursor = try replica.tracks.exported(row, in: space).samples.cursor
            var samples: [Sample] = []
            while let sample = try cursor.next() { samples.append(sample) }
            return samples
        }
    }

    @Test func `a recording that goes on is read chunk by chunk, and its tail`() async throws {
        let device = try await TestDevice.joined(1)
        var recording = try await device.replica.write { [now = device.moment(Time.start)] in
            try $0.recordings.start(
                name: "sail",
                sport: nil,
                in: TestDevice.space,
                at: now
            )
        }
        let all = RecordingTests.samples(count: 9500)
        for start in stride(from: 0, to: all.count, by: 100) {
            recording = try await device.replica.write {
                [recording, now = device.moment(Time.start)] in
                try $0.recordings.append(
                    Array(all[start..<start + 100]),
                    to: recording,
                    at: now
                )
            }
        }
        #expect(try await device.replica.read { try $0.maintenance.status() }.unpackedSamples > 0)
        #expect(try await Self.samples(recording.track, on: device) == all)
    }

    @Test func `a chunk that overlaps another is read once, as lists count it`() async throws {
        let device = try await TestDevice.joined(1)
        var log = LogDouble(keys: TestDevice.spaceKeys)
        var recording = try await device.replica.write { [now = device.moment(Time.start)] in
            try $0.recordings.start(
                name: "sail",
                sport: nil,
                in: TestDevice.space,
                at: now
            )
        }
        let all = RecordingTests.samples(count: 1500)
        let wall = device.moment(Time.start)
        recording = try await device.replica.write { [recording] in
            try $0.recordings.append(Array(all[..<1000]), to: recording, at: wall)
        }
        let copy = try await device.clone(as: "copy.db")
        recording = try await device.replica.write { [recording] in
            try $0.recordings.append(Array(all[1000...]), to: recording, at: wall)
        }
        try await device.replica.write { [recording] in try $0.recordings.stop(recording, at: wall)
        }
        try await device.settle(&log, at: Time.start)
        _ = try await copy.packInterrupted(at: Time.start + Time.hour)
        for one in [copy, device] { try await one.settle(&log, at: Time.start + Time.hour) }
        for one in [copy, device] {
            try await one.fetchChunks(from: log)
            let whole = try await one.replica.read { [recording] in
                try $0.tracks.samples(of: recording.track, in: TestDevice.space)
            }
            let read = try await Self.samples(recording.track, on: one)
            #expect(whole == read && whole == all)
        }
    }

    @Test func `an imported track comes back with all that its file said`() async throws {
        let device = try await TestDevice.joined(1)
        var track = ImportedTrack(
            name: "Lake",
            sport: "walking",
            notes: "cold",
            samples: RecordingTests.samples(count: 5000)
        )
        track.device = "a watch"
        track.laps = [ImportedTrack.Lap(start: UnixTime(milliseconds: Time.start), centimetres: 5)]
        track.totals.kilocalories = 9
        let row = try await device.replica.write { [track, now = device.moment(Time.start)] in
            try $0.imports.insert(
                track,
                as: ImportName(file: Digest(of: "file".utf8), place: 0),
                into: TestDevice.space,
                now: now
            )
        }
        let space = TestDevice.space
        let listed = try #require(
            try await device.replica.read { try $0.tracks.find(row.track, in: space) }
        )
        let copy = try await device.replica.read { replica in
            let exported = try replica.tracks.exported(listed, in: space)
            var copy = ImportedTrack(
                name: exported.name,
                sport: exported.sport,
                notes: exported.notes
            )
            (copy.device, copy.laps) = (exported.device, exported.laps)
            copy.totals = exported.totals
            var cursor = exported.samples.cursor
            while let sample = try cursor.next() { copy.samples.append(sample) }
            copy.samples.close()
            return copy
        }
        #expect(copy == track)
    }
}
