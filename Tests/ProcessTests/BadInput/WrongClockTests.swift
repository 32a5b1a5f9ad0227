import Foundation
import Harness
import Testing

/// Real programs under clocks that are off, on the device or at the server.
@Suite(
    .processes,
    .enabled(if: Tool.faketime != nil, "not here: faketime is not installed")
)
struct WrongClockTests {
    /// At each start it is that time again, as where a clock has no battery.
    private static let dead = "@1970-01-01 00:00:30"

    private func run(_ device: Device, _ words: [String], _ offset: String) async throws -> Outcome
    {
        try await device.site.start(
            BuiltProgram.wake.path,
            ["--data", device.path] + words,
            clock: offset
        ).finish()
    }

    @Test(
        arguments: Rounds.cases(
            always: ["+2h", "-10y", dead],
            atNight: ["-2h", "+10y", "-60y"]
        )
    )
    func `C1 C2 C3 a device whose clock is off joins, records and edits, and the later edit wins`(
        offset: String
    ) async throws {
        let site = try Site()
        try await site.serving { _ in
            let boat = Device("boat", in: site)
            _ = try await run(boat, ["init", "--name", "boat"], offset).checked()
            let log = site.path + "/log.nmea"
            try await run(boat, ["sample", "--seconds", "60"], offset).checked().output
                .write(toFile: log, atomically: true, encoding: .utf8)
            let record = ["record", "--nmea", log, "--name", "first"]
            _ = try await run(boat, record, offset).checked()
            _ = try await run(boat, ["join", try await site.invite()], offset).checked()
            _ = try await run(boat, ["sync"], offset).checked()
            let phone = try await site.device("phone")
            let link = try await run(boat, ["devices", "link", "--quiet"], offset).checked().output
            try await phone("join", try #require(link.split(separator: "\n").first).description)
            try await phone("sync")
            let track = try #require(try await phone.tracks().first).id
            try await phone("tracks", "rename", track, "second")
            try await phone("sync")
            _ = try await run(boat, ["sync"], offset).checked()
            #expect(try await boat.tracks().map(\.name) == ["second"])
            _ = try await run(boat, ["tracks", "rename", track, "third"], offset).checked()
            _ = try await run(boat, ["sync"], offset).checked()
            try await phone("sync")
            #expect(try await phone.tracks().map(\.name) == ["third"])
            _ = try await run(boat, ["sync"], offset).checked()
            try await site.expectEqual(boat, phone)
        }
    }

    @Test(
        arguments: Rounds.cases(
            always: ["+10y", "-2h", "-1d", dead],
            atNight: ["-10y", "+2h", "+1d"]
        )
    )
    func `C9 a server whose clock is off serves devices whose clocks are right`(
        offset: String
    ) async throws {
        let site = try Site()
        let server = try await site.startServer(clock: offset)
        let invitation = try await site.start(
            BuiltProgram.server.path,
            ["invite", "ann", "--data", site.path + "/server"],
            clock: offset
        ).finish().checked().output.trimmingCharacters(in: .whitespacesAndNewlines)
        let boat = try await site.device("boat")
        try await boat("import", try site.file("day.gpx", Inputs.gpx(name: "day", points: 50)))
        try await boat("join", invitation)
        try await boat("sync")
        let phone = try await site.device("phone")
        try await phone("join", try await boat.link())
        try await phone("sync")
        let track = try #require(try await phone.tracks().first).id
        try await phone("tracks", "rename", track, "night")
        for device in [phone, boat, phone] { try await device("sync") }
        #expect(try await boat.tracks().map(\.name) == ["night"])
        try await site.expectEqual(boat, phone)
        await server.kill()
    }

    /// Each device writes the field in turn, and the other sees it.
    private func expectTurns(_ devices: [Device], on track: String, _ words: String) async throws {
        for (index, writer) in devices.enumerated() {
            let text = "\(words) \(index)"
            try await writer("tracks", "rename", track, text)
            try await writer("sync")
            for reader in devices {
                try await reader("sync")
                #expect(try await reader.tracks().map(\.name) == [text], "\(reader.name)")
            }
        }
    }

    @Test(arguments: Rounds.cases(always: ["+1d"], atNight: ["-1d"]))
    func `C9 once the server's clock is right again nobody is locked out`(
        offset: String
    ) async throws {
        let site = try Site()
        let (address, boat, phone) = try await site.serving { server in
            let (boat, phone) = try await site.pair()
            try await boat("import", try site.file("day.gpx", Inputs.gpx(name: "day", points: 9)))
            for device in [boat, phone] { try await device("sync") }
            return (server.address, boat, phone)
        }
        let track = try #require(try await phone.tracks().first).id
        let words = ["serve", "--data", site.path + "/server", "--listen", address]
        let wrong = try await RunningServer(
            try site.start(BuiltProgram.server.path, words + ["--health", "none"], clock: offset),
            site: site
        )
        try await expectTurns([boat, phone, boat], on: track, "wrong")
        await wrong.kill()
        let right = try await site.startServer(at: address)
        try await expectTurns([phone, boat, phone], on: track, "right")
        try await site.expectEqual(boat, phone)
        await right.kill()
    }

    @Test func `C4 of two edits the later wins, though the clock jumped back between them`()
        async throws
    {
        let site = try Site()
        try await site.serving { _ in
            let (boat, phone) = try await site.pair()
            let file = try site.file("day.gpx", Inputs.gpx(name: "day", points: 9))
            try await boat("import", file)
            let track = try #require(try await boat.tracks().first).id
            for (text, offset) in [("first", "+0"), ("second", "-3h"), ("third", "-6h")] {
                _ = try await run(boat, ["tracks", "rename", track, text], offset).checked()
            }
            _ = try await run(boat, ["sync"], "-6h").checked()
            try await phone("sync")
            #expect(try await phone.tracks().map(\.name) == ["third"])
            _ = try await run(boat, ["tracks", "rename", track, "fourth"], "-9h").checked()
            for device in [boat, phone, boat] { try await device("sync") }
            #expect(try await phone.tracks().map(\.name) == ["fourth"])
            try await site.expectEqual(boat, phone)
        }
    }

    @Test func `a link is good by the server's clock alone`() async throws {
        let site = try Site()
        try await site.serving { _ in
            let link = try await site.invite()
            let boat = try await site.device("boat")
            _ = try await run(boat, ["join", link], "+10y").checked()
        }
        let late = try await site.startServer(clock: "+10y")
        let expired = try await site.start(
            BuiltProgram.server.path,
            ["invite", "ben", "--data", site.path + "/server"]
        ).finish().checked().output.trimmingCharacters(in: .whitespacesAndNewlines)
        let phone = try await site.device("phone")
        let outcome = try await phone.run("join", expired)
        #expect(outcome.code == 6, "\(outcome.errors)")
        #expect(outcome.errors.contains("already used or expired"), "\(outcome.errors)")
        await late.kill()
    }
}
