import Foundation
import Harness
import SyncCore
import Testing

/// N1, N2, N3: a network that cuts, delays, repeats and falls silent loses and doubles nothing.
@Suite(.idleProcesses) struct FaultyNetworkTests {
    private static let faults: [Fault] = [
        .refuse, .delay(milliseconds: 50), .duplicate, .replay, .cut(.up, after: 1),
        .cut(.up, after: 900), .cut(.up, after: 20_000), .cut(.down, after: 0),
        .cut(.down, after: 250), .stall(.up, after: 500, milliseconds: 200),
        .stall(.down, after: 17, milliseconds: 200), .trickle(.up, byteCount: 400),
        .trickle(.down, byteCount: 200),
    ]

    @Test(arguments: Rounds.sample(faults, every: 2))
    func `a fault on every connection of a sync loses nothing and doubles nothing`(
        fault: Fault
    ) async throws {
        try await FaultySite.serving { faulty in
            let track = try await faulty.sharedTrack()
            let (boat, phone) = (faulty.boat, faulty.phone)
            let file = try faulty.site.file("b.gpx", Inputs.gpx(name: "b", points: 2200))
            try await boat("import", file)
            try await boat("tracks", "rename", track, "by the boat")
            try await phone("tracks", "set", track, "notes", "by the phone")
            let many = [Fault](repeating: fault, count: 12)
            for device in [boat, phone] { _ = try await faulty.sync(device, through: many) }
            #expect(faulty.proxy.spoiledCount >= 2)
            try await faulty.expectWhole()
            let tracks = try await phone.tracks()
            #expect(Set(tracks.compactMap(\.name)) == ["by the boat", "b"])
            #expect(tracks.compactMap(\.points).sorted() == [20, 2200])
            #expect(try await boat.texts(of: "notes", track: track) == ["by the phone"])
        }
    }

    /// What one device was told to be done.
    private struct Done {
        var texts: [String] = []
        var imports: [String: Int] = [:]
    }

    private func work(
        _ step: Int,
        on device: Device,
        track: String,
        _ done: inout Done,
        _ generator: inout SplitMix64
    ) async throws {
        if Bool.random(using: &generator) {
            let name = "\(device.name)-\(step)"
            let points = Int.random(in: 1...5000, using: &generator)
            let file = try device.site.file(name, Inputs.gpx(name: name, points: points))
            try await device("import", file)
            done.imports[name] = points
        }
        let text = "\(device.name) \(step)"
        let field = device.name == "boat" ? "notes" : "gear"
        try await device("tracks", "set", track, field, text)
        done.texts.append(text)
    }

    /// What was overwritten before it was sealed is in no set; all else is there once, in order.
    private func expectTexts(
        _ written: [String],
        of field: String,
        track: String,
        on device: Device
    ) async throws {
        let found = try await device.texts(of: field, track: track)
        #expect(found == written.filter(Set(found).contains) && found.last == written.last)
    }

    @Test(arguments: Rounds.seeds(1))
    func `whatever the network does, in the end all is everywhere once`(seed: UInt64) async throws {
        var generator = SplitMix64(seed: seed)
        try await FaultySite.serving { faulty in
            let track = try await faulty.sharedTrack()
            var (boat, phone) = (Done(), Done())
            for step in 0..<8 {
                try await work(step, on: faulty.boat, track: track, &boat, &generator)
                try await work(step, on: faulty.phone, track: track, &phone, &generator)
                let device = Bool.random(using: &generator) ? faulty.boat : faulty.phone
                let count = Int.random(in: 1...4, using: &generator)
                let faults = (0..<count).map { _ in Fault.random(using: &generator) }
                _ = try await faulty.sync(device, through: faults)
                if step % 4 == 3 { try await faulty.expectWhole() }
            }
            try await expectTexts(boat.texts, of: "notes", track: track, on: faulty.phone)
            try await expectTexts(phone.texts, of: "gear", track: track, on: faulty.boat)
            let points = try await faulty.phone.tracks().reduce(into: [:]) { points, track in
                points[track.name ?? ""] = track.points
            }
            let expected = boat.imports.merging(phone.imports) { $1 }
            #expect(points == expected.merging(["shared": 20]) { $1 })
        }
    }
}
