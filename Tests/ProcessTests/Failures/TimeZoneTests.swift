import Foundation
import Harness
import Testing

/// Devices that travel: the order of edits has nothing to do with zones.
@Suite(.processes) struct TimeZoneTests {
    /// Runs a command as if the device were elsewhere.
    private func run(_ device: Device, in zone: String, _ words: String...) async throws {
        let command = ["TZ=\(zone)", BuiltProgram.wake.path, "--data", device.path]
        _ = try await device.site.start("/usr/bin/env", command + words).finish().checked()
    }

    @Test func `C10 edits from half a day apart on the clock win by the order they were made in`()
        async throws
    {
        let site = try Site()
        try await site.serving { _ in
            let (boat, phone) = try await site.pair()
            try await boat("import", try site.file("day.gpx", Inputs.gpx(name: "day", points: 50)))
            for device in [boat, phone] { try await device("sync") }
            let track = try #require(try await boat.tracks().first).id
            // Both sides of the date line, and a zone of half hours.
            let journey = [
                (boat, "Pacific/Kiritimati"), (phone, "Pacific/Pago_Pago"), (boat, "Asia/Kolkata"),
                (phone, "UTC"), (boat, "America/Los_Angeles"), (phone, "Pacific/Auckland"),
            ]
            for (step, (device, zone)) in journey.enumerated() {
                try await run(device, in: zone, "tracks", "rename", track, "step \(step)")
                for other in [boat, phone, boat] { try await run(other, in: zone, "sync") }
                for other in [boat, phone] {
                    #expect(try await other.tracks().map(\.name) == ["step \(step)"])
                }
            }
            // Without a word in between: the later one wins, wherever each was.
            try await run(boat, in: "Pacific/Kiritimati", "tracks", "rename", track, "earlier")
            try await run(phone, in: "Pacific/Pago_Pago", "tracks", "rename", track, "later")
            for device in [boat, phone, boat] { try await device("sync") }
            #expect(try await boat.tracks().map(\.name) == ["later"])
            try await site.expectEqual(boat, phone)
        }
    }
}
