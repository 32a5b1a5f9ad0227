import Foundation
import Harness
import SyncCore
import Testing

/// Recorders on real sources: a gpsd that gpsfake feeds from a log, and datagrams.
@Suite(
    .idleProcesses,
    .enabled(if: Inputs.shared != nil, "not here: ../shared")
)
struct ReceiverTests {
    private static let log = (Inputs.shared ?? "") + "/nmea/bundg_zeus_9.log"

    /// A gpsd on loopback, with what feeds it.
    private final class GPSD {
        let feeder: RunningProgram
        let address: String
        let port: UInt16

        /// `pause` is in seconds, after each sentence; a log has some 17 of them a second.
        init(pause: Double, at site: Site) throws {
            // Free a moment ago, and nobody else is told of it.
            port = try Socket.listening().port
            address = "127.0.0.1:\(port)"
            let words = ["-q", "-1", "-c", "\(pause)", "-P", "\(port)", ReceiverTests.log]
            feeder = try site.start(Tool.gpsfake ?? "", words)
        }

        /// gpsfake may leave its gpsd behind, which is known by its port.
        deinit {
            feeder.send(SIGKILL)
            let words = ["-KILL", "-f", "gpsd .*-S \(port) "]
            let killer = try? SpawnedProcess("/usr/bin/pkill", words, SpawnedProcess.Streams())
            killer?.waitUntilExit()
        }
    }

    /// Begins to record as soon as gpsd listens.
    private func start(_ words: [String], on device: Device, _ gpsd: GPSD) async throws
        -> RunningProgram
    {
        try await Socket.wait(forListenerOn: gpsd.port)
        return try device.start(["record", "--gpsd", gpsd.address] + words)
    }

    @Test(.enabled(if: Tool.gpsfake != nil, "not here: gpsfake"))
    func `a real gpsd gives the same places as its log`() async throws {
        let site = try Site()
        let boat = try await site.device("boat")
        let gpsd = try GPSD(pause: 0.002, at: site)
        let recorder = try await start(["--name", "gpsd"], on: boat, gpsd)
        // gpsd reports nothing of the first seconds, in which it finds out what the receiver is.
        try await boat.wait(for: "120 fixes") { $0.count >= 120 }
        try await boat("recording", "stop")
        _ = try await recorder.finish().checked()
        withExtendedLifetime(gpsd) {}
        let own = try await site.device("own")
        try await own("record", "--nmea", Self.log)
        let (gps, nmea) = (try await places(of: boat), try await places(of: own))
        let times = gps.keys.sorted()
        #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 == 1000 })
        for (time, place) in gps {
            // gpsd gives the place of a GLL as that of its second, we that of the GGA after it.
            let expected = try #require(nmea[time], "\(time)")
            #expect(place.metres(to: expected) < 10, "\(time)")
        }
    }

    private func places(of device: Device) async throws -> [Int64: Coordinate] {
        let replica = try Replica(path: device.path + "/replica.db")
        let space = try await replica.read { try $0.spaces.own() }
        let track = try #require(try await replica.read { try $0.tracks.all(in: space) }.first)
        let samples = try await replica.read { try $0.tracks.samples(of: track.id, in: space) }
        let pairs = samples.compactMap { sample in
            sample.coordinate.flatMap { place in sample.time.map { ($0.milliseconds, place) } }
        }
        return Dictionary(uniqueKeysWithValues: pairs)
    }

    /// `RecorderPaceTests` proves the one-second limit with a manual clock.
    @Test(.enabled(if: Tool.gpsfake != nil, "not here: gpsfake"))
    func `T1 a recorder that is killed on a gpsd keeps every fix that another process had read`()
        async throws
    {
        let seed = UInt64.random(in: 0..<1_000_000)
        var random = SplitMix64(seed: seed)
        let site = try Site()
        let boat = try await site.device("boat")
        // As fast as it was: an epoch of 17 sentences a second.
        let gpsd = try GPSD(pause: 0.058, at: site)
        for round in Rounds.seeds(2) where round <= 20 {
            let before = try await boat.times().count
            let recorder = try await start(round > 1 ? ["--resume"] : [], on: boat, gpsd)
            let count = before + Int.random(in: 1...3, using: &random)
            var seen: [Int64] = []
            try await boat.wait(for: "\(count) fixes") {
                seen = $0
                return $0.count >= count
            }
            recorder.send(SIGKILL)
            _ = await recorder.finish()
            let stored = try await boat.times()
            #expect(stored.starts(with: seen), "seed \(seed), round \(round)")
            #expect(Set(stored).count == stored.count, "seed \(seed): doubled")
            #expect(stored == stored.sorted(), "seed \(seed)")
        }
        withExtendedLifetime(gpsd) {}
        #expect(try await boat.tracks().count == 1, "seed \(seed)")
    }

    @Test func `datagrams are recorded, paused, marked and ended by other commands`()
        async throws
    {
        let site = try Site()
        let boat = try await site.device("boat")
        let port = try Socket.listening().port
        let recorder = try boat.start(["record", "--nmea", "udp://127.0.0.1:\(port)"])
        let sender = try Datagrams(to: port)
        func send(_ seconds: Range<Int>) async throws {
            for second in seconds { try sender.send(NMEALine.fix(second: second)) }
            try await until("an empty queue of datagrams") { try Datagrams.areRead(at: port) }
        }
        try await boat.waitForFix { try sender.send(NMEALine.fix(second: $0)) }
        try await boat("recording", "pause")
        _ = try await recorder.match(/paused;/, "a pause", in: \.errors)
        let whilePaused = 3000..<3010
        try await send(whilePaused)
        try await boat("recording", "mark", "the anchor is down")
        try await boat("recording", "resume")
        _ = try await recorder.match(/resumed/, "an end of the pause", in: \.errors)
        let afterwards = 3200..<3210
        try await send(afterwards)
        let expected = Set(afterwards.map(NMEALine.time(ofSecond:)))
        try await boat.wait(for: "all fixes after the pause") { expected.isSubset(of: $0) }
        // The reader may hold the last fix until after the resume.
        let paused = Set(whilePaused.dropLast().map(NMEALine.time(ofSecond:)))
        #expect(try await boat.times().allSatisfy { !paused.contains($0) })
        try await boat("recording", "stop")
        _ = try await recorder.finish().checked()
        let missing = try await boat.run("recording", "stop")
        #expect(missing.code == 3)
        let track = try #require(try await boat.tracks().first)
        let shown = try await boat("tracks", "show", track.id).output
        #expect(shown.contains("the anchor is down"))
        let replica = try Replica(path: boat.path + "/replica.db")
        let id = try #require(Identifier(track.id))
        let samples = try await replica.read {
            try $0.tracks.samples(of: id, in: try $0.spaces.own())
        }
        #expect(Set(samples.compactMap { $0[count: .segment] }) == [0, 1])
    }
}
