import Foundation
import Harness
import SyncCore
import Testing

/// Copies of a device's data folder: one put back after more was done, and two used at once.
@Suite(.processes) struct OldCopyTests {
    /// What becomes of the guard beside the database.
    enum Guard: String, CaseIterable {
        /// It is copied like everything else.
        case copied
        /// The newer one stays where it is.
        case stays
        /// It is lost.
        case lost
    }

    private func track(on device: Device, _ name: String) async throws -> String {
        let file = try device.site.file(name + ".gpx", Inputs.gpx(name: name, points: 300))
        try await device("import", file)
        return try #require(try await device.tracks().first { $0.name == name }?.id)
    }

    private func putBack(_ copy: Device, over device: Device, _ kind: Guard) throws {
        let seals = device.path + "/replica.db.seals"
        let newer = FileManager.default.contents(atPath: seals)
        try FileManager.default.removeItem(atPath: device.path)
        try FileManager.default.copyItem(atPath: copy.path, toPath: device.path)
        switch kind {
        case .copied: break
        case .stays: try newer?.write(to: URL(filePath: seals))
        case .lost: try FileManager.default.removeItem(atPath: seals)
        }
    }

    /// What becomes of the guard, and whether the copy is edited before it syncs.
    private static let cases: [(Guard, Bool)] = Rounds.cases(
        always: [(.copied, true), (.stays, false), (.lost, true)],
        atNight: [(.copied, false), (.stays, true), (.lost, false)]
    )

    @Test(arguments: cases)
    func `I1 I2 an old copy that is put back loses nothing`(
        kind: Guard,
        isEditedFirst: Bool
    ) async throws {
        let site = try Site()
        try await site.serving { _ in
            let (boat, phone) = try await site.pair()
            let track = try await track(on: boat, "first")
            try await boat("sync")
            // Written and not sent when the copy is made: both lives of the device send it.
            try await boat("tracks", "set", track, "colour", "red")
            let old = try boat.copied(as: "copy")
            try await boat("sync")
            try await boat("tracks", "rename", track, "later")
            _ = try await self.track(on: boat, "second")
            try await boat("sync")
            try await boat("tracks", "rename", track, "latest")
            try await boat("sync")
            try putBack(old, over: boat, kind)
            if isEditedFirst { try await boat("tracks", "set", track, "notes", "on the copy") }
            try await boat("sync")
            try await boat("tracks", "set", track, "sport", "rowing")
            for device in [boat, phone, boat] { try await device("sync") }
            try await site.expectEqual(boat, phone)
            let tracks = try await boat.tracks()
            #expect(Set(tracks.compactMap(\.name)) == ["latest", "second"])
            #expect(tracks.allSatisfy { $0.points == 300 })
            let names = try await phone.texts(of: "name", track: track)
            #expect(names.contains("later") && names.contains("latest"))
            #expect(try await phone.texts(of: "sport", track: track) == ["rowing"])
            #expect(Set(try await phone.texts(of: "colour", track: track)) == ["red"])
            let notes = try await phone.texts(of: "notes", track: track)
            #expect(notes == (isEditedFirst ? ["on the copy"] : []))
            try ServerLog(of: site).expectDense()
        }
    }

    @Test(arguments: [true, false])
    func `I3 two copies used at once lose nothing`(withGuard: Bool) async throws {
        let site = try Site()
        try await site.serving { _ in
            let (boat, phone) = try await site.pair()
            let track = try await track(on: boat, "first")
            try await boat("sync")
            try await boat("tracks", "set", track, "colour", "red")
            let clone = try boat.copied(as: "clone")
            if !withGuard {
                try FileManager.default.removeItem(atPath: clone.path + "/replica.db.seals")
            }
            for round in 0..<4 {
                for device in [boat, clone] {
                    try await device("tracks", "set", track, "notes", "\(device.name) \(round)")
                    _ = try await self.track(on: device, "\(device.name)-\(round)")
                    if round % 2 == 0 { try await device("sync") }
                }
                // Both at the same moment.
                async let first = boat.run("sync")
                async let second = clone.run("sync")
                for outcome in try await [first, second] { #expect(outcome.code == 0) }
            }
            for device in [clone, boat, phone, clone, boat] { try await device("sync") }
            try await site.expectEqual(boat, clone, phone)
            let names = Set(try await phone.tracks().compactMap(\.name))
            let expected = (0..<4).flatMap { ["boat-\($0)", "clone-\($0)"] }
            #expect(names == Set(expected + ["first"]))
            let notes = Set(try await phone.texts(of: "notes", track: track))
            #expect(notes == Set((0..<4).flatMap { ["boat \($0)", "clone \($0)"] }))
            try ServerLog(of: site).expectDense()
        }
    }
}
