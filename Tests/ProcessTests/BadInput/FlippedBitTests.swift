import Foundation
import Harness
import SyncCore
import Testing

/// Flipped bits in the files of devices and of the server, while no program has them open.
@Suite(.processes) struct FlippedBitTests {
    /// Flips one bit of a database in each of some pages.
    private func flip(_ path: String, pages: Int = 1, seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let found = FileManager.default.contents(atPath: path)
        var bytes = try #require(found)
        for page in (0..<bytes.count / 4096).shuffled(using: &random).prefix(pages) {
            let place = page * 4096 + Int.random(in: 0..<4096, using: &random)
            bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        }
        try bytes.write(to: URL(filePath: path))
    }

    @Test(arguments: Rounds.seeds(3))
    func `K6 flipped bits are put right, whether a server has the data or not`(round: UInt64)
        async throws
    {
        let site = try Site()
        let server = try await site.startServer()
        let (boat, phone) = try await site.pair()
        let sent = try site.file("sent.gpx", Inputs.gpx(name: "sent", points: 3000))
        try await boat("import", sent)
        for device in [boat, phone, boat] { try await device("sync") }
        server.program.send(SIGTERM)
        await server.program.finish()
        // What only the boat has: a track, a place, a name.
        let unsent = try site.file("unsent.gpx", Inputs.gpx(name: "unsent", points: 3000))
        try await boat("import", unsent)
        try await boat("places", "add", "Pier", "52.85,5.3")
        let seed = round
        for device in [boat, phone] {
            try flip(device.path + "/replica.db", pages: 12, seed: seed)
            try await device("verify")
            let told = try await device("doctor").output
            #expect(told.contains("of the database was put right"), "seed \(seed)")
        }
        // Closes the store, so that its pages are in the file and not in the write-ahead log.
        let doctor = ["doctor", "--data", site.path + "/server"]
        _ = try await site.start(BuiltProgram.server.path, doctor).finish().checked()
        try flip(site.path + "/server/store.db", pages: 12, seed: seed)

        let again = try await site.startServer(at: server.address)
        for device in [boat, phone, boat] { try await device("sync") }
        try await site.expectEqual(boat, phone)
        #expect(try await phone.tracks().compactMap(\.name).sorted() == ["sent", "unsent"])
        #expect(try await phone("places", "list").output.contains("Pier"))
        again.program.send(SIGTERM)
        let outcome = await again.program.finish()
        #expect(outcome.errors.contains("was put right"), "seed \(seed)")
    }

    @Test func `K6 a page with more wrong bits is named, and written anew by the doctor`()
        async throws
    {
        let site = try Site()
        try await site.serving { _ in
            let (boat, phone) = try await site.pair()
            let file = try site.file("sent.gpx", Inputs.gpx(name: "sent", points: 3000))
            try await boat("import", file)
            for device in [boat, phone, boat] { try await device("sync") }
            // Two bits of the bytes that keep the page's checksum, so that nothing else is wrong.
            let path = boat.path + "/replica.db"
            let found = FileManager.default.contents(atPath: path)
            var bytes = try #require(found)
            bytes[4096 * 5 + 4092] ^= 3
            try bytes.write(to: URL(filePath: path))

            // A write to the page does not hide it.
            try await boat("places", "add", "Pier", "52.85,5.3")
            let verified = try await boat.run("verify")
            #expect(verified.code == 6 && verified.errors.contains("the checksum of page 6"))
            let looked = try await boat.run("doctor")
            #expect(looked.code == 1 && looked.output.contains("'wake doctor --repair'"))
            try await boat("doctor", "--repair")
            try await boat("verify")
            for device in [boat, phone] { try await device("sync") }
            try await site.expectEqual(boat, phone)
        }
    }

    /// Flips one bit of the content of a frame in a write-ahead log, beside the file at `path`.
    private func flipLog(_ path: String, seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let found = FileManager.default.contents(atPath: path + "-wal")
        var bytes = try #require(found)
        let frames = (bytes.count - 32) / 4120
        try #require(frames > 3)
        let frame = Int.random(in: 0..<frames - 2, using: &random)
        // A low bit of a word: for a high bit the checksum may allow several places.
        let place = 32 + frame * 4120 + 24 + Int.random(in: 0..<1023, using: &random) * 4
        bytes[place + Int.random(in: 0..<2, using: &random)] ^=
            1 << UInt8.random(in: 0..<8, using: &random)
        try bytes.write(to: URL(filePath: path + "-wal"))
    }

    @Test(.enabled(if: Inputs.shared != nil, "not here: ../shared"), arguments: Rounds.seeds(2))
    func `K6 a flipped bit in the log that a killed program left loses nothing`(seed: UInt64)
        async throws
    {
        let site = try Site()
        let server = try await site.startServer()
        let (boat, phone) = try await site.pair()
        for number in 0..<6 {
            let file = try site.file("\(number).gpx", Inputs.gpx(name: "\(number)", points: 300))
            try await boat("import", file)
            try await boat("sync")
        }
        await server.kill()
        try flipLog(site.path + "/server/store.db", seed: seed)

        try await recordUntilKilled(boat)
        try flipLog(boat.path + "/replica.db", seed: seed)
        let recorded = try await boat.tracks().first { $0.name == "recorded" }
        #expect((recorded?.points ?? 0) >= 40, "seed \(seed)")
        let told = try await boat("doctor").output
        #expect(told.contains("of the database was put right"), "seed \(seed)")
        try await boat("verify")

        let again = try await site.startServer(at: server.address)
        for device in [boat, phone, boat] { try await device("sync") }
        try await site.expectEqual(boat, phone)
        #expect(try await phone.tracks().count == 7)
        again.program.send(SIGTERM)
        let outcome = await again.program.finish()
        #expect(outcome.errors.contains("was put right"), "seed \(seed)")
    }

    /// Records at least 40 points, and kills the recorder while its source goes on.
    private func recordUntilKilled(_ boat: Device) async throws {
        let source = Pipe()
        let recorder = try boat.start(
            ["record", "--nmea", "-", "--name", "recorded"],
            input: source.fileHandleForReading
        )
        let log = URL(filePath: (Inputs.shared ?? "") + "/nmea/bundg_zeus_9.log")
        source.fileHandleForWriting.write(try Data(contentsOf: log).prefix(60_000))
        // Asked by a program that has ended: the last one to close the file would empty the log.
        try await until("40 points") {
            try await boat.tracks().contains { $0.name == "recorded" && ($0.points ?? 0) >= 40 }
        }
        recorder.send(SIGKILL)
        await recorder.finish()
    }

    @Test(
        .enabled(if: Inputs.shared != nil, "not here: ../shared"),
        arguments: [false, true]
    )
    func `K6 a device whose log lost its end says so`(isRemoved: Bool) async throws {
        let site = try Site()
        let boat = try await site.device("boat")
        try await recordUntilKilled(boat)
        let log = boat.path + "/replica.db-wal"
        if isRemoved {
            try FileManager.default.removeItem(atPath: log)
        } else {
            // Frames of an earlier log may follow the last one.
            let mark = try #require(
                FileManager.default.contents(atPath: boat.path + "/replica.db-end")
            )
            let frames = mark[8..<12].reduce(0) { $0 << 8 | Int($1) }
            let bytes = try #require(FileManager.default.contents(atPath: log))
            try bytes.prefix(32 + (frames - 1) * 4120).write(to: URL(filePath: log))
        }
        // The first program that opens the file says it, and status for a week.
        let first = try await boat("tracks", "list").errors
        #expect(first.contains("write-ahead log"), "\(first)")
        let told = try await boat("status")
        #expect(told.output.contains("write-ahead log"), "\(told.output)")
        #expect(!told.errors.contains("write-ahead log"), "\(told.errors)")
        let events = try await boat("doctor").output
        #expect(events.contains("write-ahead log") && !events.contains("1970"), "\(events)")
        try await boat("verify")
        // The replica works on.
        try await boat("places", "add", "home", "54.1,12.1")
        #expect(try await boat("places", "list").output.contains("home"))
    }
}
