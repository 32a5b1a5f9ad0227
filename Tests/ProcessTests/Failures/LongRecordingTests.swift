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

    private static let hours = Rounds.isNight ? (short: 6, long: 18) : (short: 1, long: 4)

    /// In KiB; SQLite's cache and the allocator account for about 1 MiB of growth.
    ///
    /// Samples that were held would take 7 MiB for three hours, and 28 MiB for twelve at night.
    private static let growthLimit = Rounds.isNight ? 12 << 10 : 4 << 10

    @Test func `T12 a recording of hours holds nothing of what it stored`() async throws {
        let site = try Site()
        let boat = try await site.device("boat")
        let short = try await record(Self.hours.short, on: boat)
        let long = try await record(Self.hours.long, on: boat)
        #expect(short.samples >= Self.hours.short * 3600)
        #expect(long.samples >= Self.hours.long * 3600)
        let growth = long.peak - short.peak
        #expect(growth < Self.growthLimit, "\(short.peak) KiB, then \(long.peak) KiB")
    }
}
