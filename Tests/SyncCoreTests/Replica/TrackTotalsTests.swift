@testable import SyncCore
import Testing

/// What a track's chunks and tail add up to, by the rule of its sport.
@Suite struct TrackTotalsTests {
    /// A fix a second, with one far off at each of some places.
    private static func samples(
        _ count: Int,
        wrongAt wrong: Set<Int>,
        by metres: Double
    ) -> [Sample] {
        var samples = RecordingTests.samples(count: count)
        for index in wrong {
            samples[index][count: .latitude]? += Int64(metres * 90)
        }
        return samples
    }

    private static func metres(_ samples: [Sample], _ rule: FixRule) -> Double {
        var distance = Distance(rule)
        for sample in samples { distance.add(sample) }
        return distance.metres
    }

    /// Spikes within chunks, on both sides of a seam between two, and in the tail.
    private static let samples = samples(
        6000,
        wrongAt: [77, 2000, 4095, 4500, 5000, 5990],
        by: 3000
    )

    private func recorded(
        _ samples: [Sample] = Self.samples,
        sport: String? = "running",
        on device: TestDevice
    ) async throws -> Recording {
        var recording = try await device.replica.write { [now = device.moment(Time.start)] in
            try $0.recordings.start(
                name: "run",
                sport: sport,
                in: TestDevice.space,
                at: now
            )
        }
        for start in stride(from: 0, to: samples.count, by: 500) {
            recording = try await device.replica.write {
                [recording, now = device.moment(Time.start)] in
                try $0.recordings.append(
                    Array(samples[start..<min(start + 500, samples.count)]),
                    to: recording,
                    at: now
                )
            }
        }
        return recording
    }

    private func distance(_ track: Identifier, on device: TestDevice) async throws -> Double {
        try #require(
            try await device.replica.read { try $0.tracks.find(track, in: TestDevice.space) }
        ).distanceMetres
    }

    @Test func `flagged fixes do not count, live, saved and on another device`() async throws {
        let (one, two) = (try await TestDevice.joined(1), try await TestDevice.joined(2))
        var log = LogDouble(keys: TestDevice.spaceKeys)
        let recording = try await recorded(on: one)
        let expected = Self.metres(Self.samples, FixRule(sport: "running"))
        #expect(expected < 10_000)
        #expect(abs(try await distance(recording.track, on: one) - expected) < 0.001)
        try await one.replica.write { [now = one.moment(Time.start)] in
            try $0.recordings.stop(recording, at: now)
        }
        #expect(abs(try await distance(recording.track, on: one) - expected) < 0.001)
        try await one.settle(&log, at: Time.start)
        try await two.settle(&log, at: Time.start + 1)
        try await two.fetchChunks(from: log)
        let (here, there) = (
            try await distance(recording.track, on: one),
            try await distance(recording.track, on: two)
        )
        #expect(here == there)
        #expect(try await two.replica.read { try $0.maintenance.verify() }.faults == [])
    }

    @Test func `another sport, and a filter that is off, are another judgement`() async throws {
        let device = try await TestDevice.joined(1)
        let recording = try await recorded(on: device)
        try await device.replica.write { [now = device.moment(Time.start)] in
            try $0.recordings.stop(recording, at: now)
        }
        let running = try await distance(recording.track, on: device)
        func set(_ field: Text, _ value: Value) async throws -> Double {
            let key = Key(TrackField.collection, .id(recording.track), field)
            _ = try await device.replica.write { [now = device.moment(Time.start + 1)] in
                try $0.rows.write(
                    [Edit(key, value)],
                    in: TestDevice.space,
                    at: now
                )
            }
            #expect(try await device.replica.read { try $0.maintenance.verify() }.faults == [])
            return try await distance(recording.track, on: device)
        }
        // A spike of 3 km in a second is impossible for anyone; without a filter it counts twice.
        let off = Self.metres(Self.samples, .off)
        #expect(abs(try await set(TrackField.filter, .bool(false)) - off) < 0.001)
        #expect(off > running + 30_000)
        #expect(try await set(TrackField.filter, .null) == running)
        let flying = Self.metres(Self.samples, FixRule(sport: "flying"))
        #expect(abs(try await set(TrackField.sport, .text("flying")) - flying) < 0.001)
        #expect(try await set(TrackField.sport, .text("running")) == running)
    }

    @Test(
        arguments: [
            "summary = NULL", "summary = x'80'", "ends = NULL",
            // The summary of other samples.
            "summary = x'\(ChunkSummary(of: samples.prefix(9)).value.encoded.hexadecimal)'",
        ]
    )
    func `what is kept of a judgement is checked`(damage: String) async throws {
        let device = try await TestDevice.joined(1)
        let recording = try await recorded(on: device)
        try await device.replica.write { [now = device.moment(Time.start)] in
            try $0.recordings.stop(recording, at: now)
        }
        let before = try await distance(recording.track, on: device)
        try await device.replica.damage("UPDATE chunk SET \(damage)")
        #expect(try await !device.replica.read { try $0.maintenance.verify() }.chunkFaults.isEmpty)
        _ = try await device.replica.write { [now = device.wall(Time.start + 1)] in
            try $0.repairs.repair(at: now)
        }
        #expect(try await device.replica.read { try $0.maintenance.verify() }.faults == [])
        #expect(try await distance(recording.track, on: device) == before)
    }

    @Test func `what is flagged at any speed is flagged again after the filter was off`()
        async throws
    {
        let device = try await TestDevice.joined(1)
        var samples = RecordingTests.samples(count: 100)
        for index in 40..<60 { samples[index][.accuracy] = 150 }
        samples[50][count: .latitude]? += 20_000
        let recording = try await recorded(samples, sport: nil, on: device)
        try await device.replica.write { [now = device.moment(Time.start)] in
            try $0.recordings.stop(recording, at: now)
        }
        let track = recording.track
        let before = try await distance(track, on: device)
        try await device.set("filter", .bool(false), of: track, at: Time.start + 1)
        #expect(try await distance(track, on: device) > before + 400)
        try await device.set("filter", .null, of: track, at: Time.start + 2)
        #expect(try await distance(track, on: device) == before)
    }

    @Test func `a damaged chunk keeps nobody from changing the sport`() async throws {
        let device = try await TestDevice.joined(1)
        let recording = try await recorded(on: device)
        try await device.replica.write { [now = device.moment(Time.start)] in
            try $0.recordings.stop(recording, at: now)
        }
        try await device.replica.damage("UPDATE chunk SET bytes = x'00010203'")
        try await device.set("sport", .text("flying"), of: recording.track, at: Time.start + 1)
        let track = try await device.replica.read {
            try $0.tracks.find(recording.track, in: TestDevice.space)
        }
        #expect(track?.sport == "flying")
    }

    @Test func `what one sport can do and another cannot is judged by the present one`()
        async throws
    {
        let device = try await TestDevice.joined(1)
        let samples = Self.samples(100, wrongAt: [50], by: 40)
        let recording = try await recorded(samples, sport: nil, on: device)
        try await device.replica.write { [now = device.moment(Time.start)] in
            try $0.recordings.stop(recording, at: now)
        }
        let usual = try await distance(recording.track, on: device)
        try await device.set("sport", .text("running"), of: recording.track, at: Time.start + 1)
        let running = try await distance(recording.track, on: device)
        #expect(usual > running + 50)
        #expect(abs(running - Self.metres(samples, FixRule(sport: "running"))) < 0.001)
    }
}
