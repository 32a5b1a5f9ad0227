import Foundation
import Testing

/// Recordings that go on for long.
@Suite(.timeLimit(.minutes(5))) struct LongRecordingTests {
    /// The most memory in KiB that a recording of so many hours took, and its samples.
    private func record(_ hours: Int, on boat: Device) async throws -> (peak: Int, samples: Int) {
        let line = """
            "$wake" sample --seconds \(hours * 3600) > \(boat.site.path)/log.nmea
            "$wake" --data \(boat.path) record --nmea \(boat.site.path)/log.nmea \
            --name 'hours \(hours)' > /dev/null &
            while kill -0 $! 2> /dev/null; do
                sed -n 's/^VmHWM:[^0-9]*\\([0-9]*\\).*/\\1/p' /proc/$!/status 2> /dev/null
                sleep 0.02
            done
            wait $!
            """
        let outcome = try await boat.site.shell(line).checked()
        let peaks = outcome.output.split(separator: "\n").compactMap { Int($0) }
        let track = try await boat.tracks().first { $0.name == "hours \(hours)" }
        return (try #require(peaks.max()), try #require(track).samples)
    }

    /// What SQLite and the allocator keep grows within some hours and then stays.
    ///
    /// Twelve hours of samples that were held would take 28 MiB, and of the file that is read 16.
    private static let growthLimit = 12 << 10

    @Test func `T12 a recording of hours holds nothing of what it stored`() async throws {
        let site = try Site()
        let boat = try await site.device("boat")
        let short = try await record(6, on: boat)
        let long = try await record(18, on: boat)
        #expect(short.samples >= 6 * 3600 && long.samples >= 18 * 3600)
        let growth = long.peak - short.peak
        #expect(growth < Self.growthLimit, "\(short.peak) KiB, then \(long.peak) KiB")
    }
}
