import Foundation
import Harness
import SyncCore
import Testing

/// Commands of one device are killed at random moments.
@Suite(.processes) struct ClientKillTests {
    /// What one device was told to be done, and what was under way when it was killed.
    private struct Story {
        var name: Set<String?> = ["shared"]
        var tracks: [String: Int] = ["shared": 10]
        var maybe: [String: Int] = [:]
        var killed = 0
        var finished = 0
    }

    /// Runs a command and kills it within `milliseconds`; whether it ended with 0 before.
    private func kill(
        _ device: Device,
        within milliseconds: Int,
        _ generator: inout SplitMix64,
        _ words: [String]
    ) async throws -> Bool {
        let command = try device.start(words)
        let moment = Int.random(in: 0...milliseconds * 1000, using: &generator)
        try await Task.sleep(for: .microseconds(moment))
        command.send(SIGKILL)
        let outcome = await command.finish()
        #expect(outcome.code == 0 || outcome.code == nil, "\(outcome.errors)")
        return outcome.code == 0
    }

    private func step(
        _ number: Int,
        on device: Device,
        track: String,
        _ story: inout Story,
        _ generator: inout SplitMix64
    ) async throws {
        let isDone: Bool
        switch number % 4 {
        case 0, 2:
            let name = "name \(number)"
            isDone = try await kill(
                device,
                // The first is killed right after its start, so that on a fast machine at least
                // one is killed.
                within: number == 0 ? 0 : 60,
                &generator,
                ["tracks", "rename", track, name]
            )
            story.name = isDone ? [name] : story.name.union([name])
        case 1:
            let name = "import \(number)"
            let points = Int.random(in: 1...6000, using: &generator)
            let file = try device.site.file("\(number).gpx", Inputs.gpx(name: name, points: points))
            isDone = try await kill(device, within: 250, &generator, ["import", file])
            if isDone { story.tracks[name] = points } else { story.maybe[name] = points }
        default:
            isDone = try await kill(device, within: 120, &generator, ["sync"])
        }
        story.killed += isDone ? 0 : 1
        story.finished += isDone ? 1 : 0
    }

    /// What was told to be done is there; what was under way is there whole or not at all.
    private func expect(_ story: Story, on device: Device, track: String) async throws {
        let tracks = try await device.tracks()
        let name = tracks.first { $0.id == track }?.name
        #expect(story.name.contains(name), "\(name ?? "none") is not one of \(story.name)")
        let others = tracks.filter { $0.id != track }
        let names = others.compactMap(\.name)
        #expect(Set(names).count == names.count && names.count == others.count)
        let expected = story.tracks.keys.filter { $0 != "shared" }
        #expect(Set(names).isSuperset(of: expected))
        for other in others {
            let name = other.name ?? ""
            #expect(other.points == story.tracks[name] ?? story.maybe[name], "\(name)")
        }
    }

    @Test(arguments: Rounds.seeds(1))
    func `what a command did is there after kill -9`(seed: UInt64) async throws {
        var generator = SplitMix64(seed: seed)
        let site = try Site()
        try await site.serving { _ in
            let (boat, phone) = try await site.pair()
            let file = try site.file("shared.gpx", Inputs.gpx(name: "shared", points: 10))
            try await boat("import", file)
            let track = try #require(try await boat.tracks().first?.id)
            var story = Story()
            for number in 0..<16 {
                try await step(number, on: boat, track: track, &story, &generator)
                try await expect(story, on: boat, track: track)
            }
            #expect(story.killed > 0)
            try await boat("verify")
            for device in [boat, phone, boat] { try await device("sync") }
            try await site.expectEqual(boat, phone)
            try await expect(story, on: phone, track: track)
            let log = try ServerLog(of: site)
            log.expectDense()
            #expect(try boat.toldSets().isSubset(of: log.hashes))
        }
    }
}
