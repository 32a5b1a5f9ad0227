import Foundation
import Harness
import SyncCore
import Testing

/// The server is killed at random moments while two devices edit, import and sync.
@Suite(.processes) struct ServerKillTests {
    /// What a device was told to be done.
    private struct Done: Sendable {
        /// Texts of the field that this device alone writes.
        var edits: [String] = []
        /// Names of tracks, with their points.
        var imports: [String: Int] = [:]
    }

    /// Edits and syncs without pause until `isOver`; a sync may fail, an edit may not.
    private func work(
        on device: Device,
        field: String,
        track: String,
        seed: UInt64,
        until isOver: Flag
    ) async throws -> Done {
        var generator = SplitMix64(seed: seed)
        var done = Done()
        for step in 0... {
            if isOver.isSet { break }
            if step % 3 == 2 {
                let name = "\(device.name)-\(step)"
                let points = Int.random(in: 1...5000, using: &generator)
                let file = try device.site.file(name, Inputs.gpx(name: name, points: points))
                try await device("import", file)
                done.imports[name] = points
            } else {
                let text = "\(device.name) \(step)"
                try await device("tracks", "set", track, field, text)
                done.edits.append(text)
            }
            _ = try await device.run("sync")
        }
        return done
    }

    @Test(arguments: Rounds.seeds(1))
    func `what the server acknowledged is there after kill -9`(seed: UInt64) async throws {
        var generator = SplitMix64(seed: seed)
        let site = try Site()
        var server = try await site.startServer()
        let (boat, phone) = try await site.pair()
        try await boat("import", try site.file("0.gpx", Inputs.gpx(name: "shared", points: 10)))
        try await boat("sync")
        try await phone("sync")
        let track = try #require(try await boat.tracks().first?.id)
        let isOver = Flag()
        async let boatDone = work(
            on: boat,
            field: "notes",
            track: track,
            seed: seed,
            until: isOver
        )
        async let phoneDone = work(
            on: phone,
            field: "gear",
            track: track,
            seed: seed + 1000,
            until: isOver
        )
        for _ in 0..<5 {
            let moment = Int.random(in: 50...500, using: &generator)
            try await Task.sleep(for: .milliseconds(moment))
            await server.kill()
            let told = try boat.toldSets().union(phone.toldSets())
            server = try await site.startServer(at: server.address)
            let log = try ServerLog(of: site)
            log.expectDense()
            #expect(told.isSubset(of: log.hashes))
        }
        isOver.set()
        let done = try await [boatDone, phoneDone]
        for device in [boat, phone, boat] { try await device("sync") }
        try await site.expectEqual(boat, phone)
        try ServerLog(of: site).expectDense()
        for (device, field) in [(phone, "notes"), (boat, "gear")] {
            let mine = done[field == "notes" ? 0 : 1]
            #expect(try await device.texts(of: field, track: track) == mine.edits)
            let imports = try await device.tracks().filter { mine.imports[$0.name ?? ""] != nil }
            #expect(imports.count == mine.imports.count)
            for track in imports { #expect(track.points == mine.imports[track.name ?? ""]) }
        }
        await server.kill()
    }
}
