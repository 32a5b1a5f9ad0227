@testable import SyncCore
import Testing

/// Samples that only this device has do not match their sum.
@Suite struct TailDamageTests {
    /// A recording of three appends of ten samples each.
    private func recorded() async throws -> (device: TestDevice, recording: Recording) {
        let device = try await TestDevice.joined(1)
        let now = device.moment(Time.start)
        var recording = try await device.replica.write {
            try $0.recordings.start(name: "sail", sport: nil, in: TestDevice.space, at: now)
        }
        let samples = RecordingTests.samples(count: 30)
        for part in 0..<3 {
            recording = try await device.replica.write { [recording] in
                try $0.recordings.append(
                    samples[part * 10..<(part + 1) * 10],
                    to: recording,
                    at: now
                )
            }
        }
        return (device, recording)
    }

    private func faults(_ device: TestDevice) async throws -> [String] {
        try await device.replica.read { try $0.maintenance.verify() }.faults
    }

    @Test(arguments: [
        "samples = x'0102'", "samples = x''", "sum = sum + 1",
        "track = zeroblob(16)", "stream = stream + 4", "first = 11", "count = 9", "space = 77",
        "first = -5",
        "count = -1", "stream = -1", "sum = -1",
    ])
    func `the rest of the recording goes on without them`(damage: String) async throws {
        let (device, recording) = try await recorded()
        try await device.replica.damage("UPDATE tail SET \(damage) WHERE first = 10")
        let track = try #require(
            await device.replica.read { try $0.tracks.find(recording.track, in: TestDevice.space) }
        )
        #expect(track.sampleCount == 20)
        #expect(try await faults(device).contains { $0.contains("samples") })
        let now = device.moment(Time.start + 1)
        try await device.replica.write { try $0.recordings.packInterrupted(at: now) }
        var log = LogDouble(keys: TestDevice.spaceKeys)
        try await device.settle(&log, at: Time.start + 2)
        let samples = try await device.replica.read {
            try $0.tracks.samples(of: recording.track, in: TestDevice.space)
        }
        let all = RecordingTests.samples(count: 30)
        #expect(Array(samples) == Array(all[..<10] + all[20...]))
        let told = try await device.replica.read { try $0.events.latest() }
        #expect(told.count { $0.kind == .repaired && $0.detail.contains("set aside") } == 1)
        #expect(try await faults(device).count == 1)
        let repaired = try await device.replica.write { try $0.repairs.repair(at: now.wall) }
        #expect(repaired.lostRuns == 1)
        #expect(try await faults(device) == [])
    }
}
