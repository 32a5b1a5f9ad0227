import Foundation
import Harness
import Testing

/// Recordings that go on for long.
@Suite(.manyProcesses) struct LongRecordingTests {
    /// The most memory in KiB that a recording of so many hours took, and its samples.
    private func record(_ hours: Int, on boat: Device) async throws -> (peak: Int, samples: Int) {
        let log = boat.site.path + "/log.nmea"
        let seconds = hours * 3600
        _ = try await boat.site.shell("\"$wake\" sample --seconds \(seconds) > '\(log)'").checked()
        let words = ["record", "--nmea", log, "--name", "\(hours) hours", "--quiet"]
        let recorder = try boat.start(words)
        var peak = 0
        try await until("the end of a recording") {
            peak = max(peak, recorder.peakKibibytes ?? 0)
            return !recorder.isRunning
        }
        _ = try await recorder.finish().checked()
        let track = try await boat.tracks().first { $0.name == "\(hours) hours" }
        return (peak, try #require(track).samples)
    }

    /// In KiB: what SQLite and the allocator keep grows by about 1 MiB.
    ///
    /// Three hours of samples that were held would take 7 MiB.
    private static let growthLimit = 4 << 10

    @Test func `T12 a recording of hours holds nothing of what it stored`() async throws {
        let site = try Site()
        let boat = try await site.device("boat")
        let short = try await record(1, on: boat)
        let long = try await record(4, on: boat)
        #expect(short.samples >= 3600 && long.samples >= 4 * 3600)
        let growth = long.peak - short.peak
        #expect(growth < Self.growthLimit, "\(short.peak) KiB, then \(long.peak) KiB")
    }
}
