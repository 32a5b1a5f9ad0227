@testable import SyncCore
import Testing

@Suite struct OutgrownTracksTests {
    private static func read(_ log: some Collection<UInt8>) throws -> ImportedTrack {
        var reader = NMEALogReader()
        try reader.feed(Array(log))
        return reader.salvage().tracks[0]
    }

    private static func outgrown(
        by track: ImportedTrack,
        on device: TestDevice
    ) async throws -> [Identifier] {
        try await device.replica.read {
            try $0.imports.superseded(
                outgrownBy: track,
                as: ImportName(file: Digest(of: "whole".utf8), place: 0),
                in: TestDevice.space
            )
        }.map(\.track)
    }

    private static func take(
        _ track: ImportedTrack,
        as number: Int,
        on device: TestDevice
    ) async throws -> Identifier {
        try await device.replica.write { [now = device.moment(Time.start)] in
            try $0.imports.insert(
                track,
                as: ImportName(file: Digest(of: "\(number)".utf8), place: 0),
                into: TestDevice.space,
                now: now
            )
        }.track
    }

    @Test func `a log that was cut anywhere is the beginning of the whole`() async throws {
        let device = try await TestDevice.joined(1)
        let start = UnixTime(milliseconds: Time.start)
        let log = SyntheticSail(seed: 3, start: start, seconds: 20).nmea
        var taken: Set<Identifier> = []
        for end in stride(from: 1, to: log.count, by: 41) {
            let track = try Self.read(log[..<end])
            guard !track.samples.isEmpty else { continue }
            taken.insert(try await Self.take(track, as: end, on: device))
        }
        let outgrown = try await Self.outgrown(by: try Self.read(log), on: device)
        #expect(taken.count > 100)
        #expect(Set(outgrown) == taken)
    }

    @Test func `one that was recorded here, or tells anything else, is none`() async throws {
        let device = try await TestDevice.joined(1)
        let start = UnixTime(milliseconds: Time.start)
        let now = device.moment(Time.start)
        let whole = ImportedTrack(
            samples: SyntheticSail(seed: 3, start: start, seconds: 5000).samples
        )
        var other = Array(whole.samples.prefix(4500))
        other[4200][count: .heartRate] = 1
        _ = try await Self.take(ImportedTrack(samples: other), as: 1, on: device)
        let same = Array(whole.samples.prefix(4500))
        let id = try await Self.take(ImportedTrack(samples: same), as: 2, on: device)
        var recording = try await device.replica.write {
            try $0.recordings.start(
                name: nil,
                sport: nil,
                start: TrackStart(start),
                in: TestDevice.space,
                at: now
            )
        }
        recording = try await device.replica.write { [recording] in
            try $0.recordings.append(same, to: recording, at: now)
        }
        try await device.replica.write { [recording] in
            try $0.recordings.stop(recording, at: now)
        }
        #expect(try await Self.outgrown(by: whole, on: device) == [id])
    }

    @Test(arguments: [(100, 99, true), (100, 90, false), (8, 7, false)])
    func `the last second of a log that was cut may read otherwise`(
        count: Int,
        changed: Int,
        isBeginning: Bool
    ) async throws {
        let device = try await TestDevice.joined(1)
        let samples = RecordingTests.samples(count: 200)
        var early = Array(samples.prefix(count))
        early[changed][count: .latitude]? += 100
        early[changed].time = early[changed].time.map {
            UnixTime(milliseconds: $0.milliseconds - 89)
        }
        let id = try await Self.take(
            ImportedTrack(samples: PackedSamples(early)),
            as: 1,
            on: device
        )
        let whole = ImportedTrack(samples: PackedSamples(samples))
        #expect(try await Self.outgrown(by: whole, on: device) == (isBeginning ? [id] : []))
    }
}
