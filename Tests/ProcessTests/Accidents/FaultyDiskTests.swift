import Foundation
import Harness
import SyncCore
import Testing

/// S9, K7: disks that are full or fail now and then, while devices sync.
///
/// Which call fails is libfiu's to choose, and no seed decides it: what must hold, holds for all.
@Suite(
    .processes,
    .enabled(if: Tool.fiu != nil, "not here: fiu-run is not installed")
)
struct FaultyDiskTests {
    /// What SQLite asks of a disk; what the programs print goes another way.
    private static let calls = [
        "posix/io/rw/pwrite", "posix/io/sync/fsync", "posix/io/sync/fdatasync",
    ]

    /// An answer of the disk.
    enum Trouble: CaseIterable, Sendable {
        case full, failing

        var code: Int32 { self == .full ? ENOSPC : EIO }

        /// Of a hundred calls so many get it.
        func faults(percent: Int) -> [String] {
            // A disk that is full is so when it is written to, not when it is flushed.
            let calls =
                self == .full ? Array(FaultyDiskTests.calls.prefix(1)) : FaultyDiskTests.calls
            return calls.map {
                "enable_random name=\($0),probability=\(Double(percent) / 100),failinfo=\(code)"
            }
        }

        /// Whether a device says so, of its database or of the guard beside it.
        func isTold(in errors: String) -> Bool {
            let words =
                self == .full
                ? ["the disk is full"] : ["the disk reported an error", "input/output error"]
            return words.contains { errors.contains($0) }
        }
    }

    private func sync(_ device: Device, _ trouble: Trouble, percent: Int) async throws -> Outcome {
        let faults = trouble.faults(percent: percent).flatMap { ["-c", $0] }
        let words = ["-x"] + faults + [BuiltProgram.wake.path, "--data", device.path, "sync"]
        return try await device.site.start(Tool.fiu ?? "", words).finish()
    }

    private func edit(_ device: Device, _ track: String, _ step: UInt64) async throws {
        let field = device.name == "boat" ? "notes" : "gear"
        try await device("tracks", "set", track, field, "\(device.name) \(step)")
    }

    private func sharedTrack(_ boat: Device, _ phone: Device) async throws -> String {
        let file = try boat.site.file("a.gpx", Inputs.gpx(name: "a", points: 300))
        try await boat("import", file)
        for device in [boat, phone] { try await device("sync") }
        return try #require(try await phone.tracks().first?.id)
    }

    @Test(arguments: Trouble.allCases)
    func `a sync on a disk that takes nothing says so, changes nothing, and succeeds later`(
        trouble: Trouble
    ) async throws {
        let site = try Site()
        try await site.serving { _ in
            let (boat, phone) = try await site.pair()
            let track = try await sharedTrack(boat, phone)
            try await edit(boat, track, 1)
            try await boat("sync")
            try await edit(phone, track, 1)
            let before = try await phone("tracks", "show", track).output
            for _ in 0..<2 {
                let outcome = try await sync(phone, trouble, percent: 100)
                #expect(outcome.code == 1, "\(outcome.output)")
                #expect(trouble.isTold(in: outcome.errors), "\(outcome.errors)")
                #expect(outcome.errors.contains("\nwake: hint: "), "\(outcome.errors)")
                #expect(try await phone("tracks", "show", track).output == before)
            }
            for device in [phone, boat, phone] { try await device("sync") }
            try await site.expectEqual(boat, phone)
            #expect(try await phone.texts(of: "notes", track: track) == ["boat 1"])
            #expect(try await boat.texts(of: "gear", track: track) == ["phone 1"])
        }
    }

    @Test func `nothing is sealed while the guard's counter cannot be flushed`() async throws {
        let site = try Site()
        try await site.serving { _ in
            let (boat, phone) = try await site.pair()
            let track = try await sharedTrack(boat, phone)
            try await edit(boat, track, 1)
            let before = try ServerLog(of: site).entries
            let outcome = try await site.start(
                BuiltProgram.wake.path,
                ["--data", boat.path, "sync"],
                failing: ["posix/io/sync/fsync"]
            ).finish()
            #expect(outcome.code == 1, "\(outcome.output)")
            let words = "cannot write replica.db.seals: input/output error"
            #expect(outcome.errors.contains(words), "\(outcome.errors)")
            #expect(try ServerLog(of: site).entries == before)
            for device in [boat, phone, boat] { try await device("sync") }
            try await site.expectEqual(boat, phone)
        }
    }

    @Test(arguments: Rounds.seeds(1), Trouble.allCases)
    func `a sync on a disk that fails now and then loses nothing that was told`(
        round: UInt64,
        trouble: Trouble
    ) async throws {
        let site = try Site()
        try await site.serving { _ in
            let (boat, phone) = try await site.pair()
            let track = try await sharedTrack(boat, phone)
            for step in 1...6 as ClosedRange<UInt64> {
                for device in [boat, phone] {
                    try await edit(device, track, step)
                    let outcome = try await sync(device, trouble, percent: 5)
                    #expect([0, 1].contains(outcome.code), "\(outcome.errors)")
                    let isWell = outcome.code == 0 || trouble.isTold(in: outcome.errors)
                    #expect(isWell, "\(outcome.errors)")
                }
            }
            try await boat("verify")
            for device in [boat, phone, boat] { try await device("sync") }
            try await site.expectEqual(boat, phone)
            #expect(try await phone.texts(of: "notes", track: track).last == "boat 6")
            #expect(try await boat.texts(of: "gear", track: track).last == "phone 6")
            let log = try ServerLog(of: site)
            log.expectDense()
            for device in [boat, phone] { #expect(try device.toldSets().isSubset(of: log.hashes)) }
        }
    }

    /// A server some of whose calls fail from now on.
    private func serveBadly(_ site: Site, _ trouble: Trouble, at address: String) async throws
        -> RunningServer
    {
        let control = site.path + "/" + UUID().uuidString
        let serve = ["serve", "--data", site.path + "/server", "--listen", address]
        let words = ["-x", "-f", control, BuiltProgram.server.path] + serve + ["--health", "none"]
        let program = try site.start(Tool.fiu ?? "", words)
        let server = try await RunningServer(program, site: site)
        let pipe = try FileManager.default.contentsOfDirectory(atPath: site.path)
            .first { (site.path + "/" + $0).hasPrefix(control) && $0.hasSuffix(".in") }
        let process = try #require(pipe).dropLast(".in".count).split(separator: "-").last ?? ""
        for fault in trouble.faults(percent: 10) {
            _ = try await site.shell("fiu-ctrl -f '\(control)' -c '\(fault)' \(process)").checked()
        }
        return server
    }

    @Test(arguments: Rounds.seeds(1), Trouble.allCases)
    func `a server on a disk that fails now and then keeps what it acknowledged`(
        round: UInt64,
        trouble: Trouble
    ) async throws {
        let site = try Site()
        let (address, boat, phone, track) = try await site.serving { server in
            let (boat, phone) = try await site.pair()
            return (server.address, boat, phone, try await sharedTrack(boat, phone))
        }
        for step in 1...4 as ClosedRange<UInt64> {
            let server = try await serveBadly(site, trouble, at: address)
            for device in [boat, phone] {
                try await edit(device, track, step)
                let outcome = try await device.run("sync")
                #expect([0, 5].contains(outcome.code), "\(outcome.output)\(outcome.errors)")
            }
            if !server.program.isRunning {
                let outcome = await server.program.finish()
                #expect(outcome.code == 1 && trouble == .failing, "\(outcome.errors)")
                #expect(outcome.errors.contains("the disk reported an error"))
            }
            await server.kill()
            let log = try ServerLog(of: site)
            log.expectDense()
            for device in [boat, phone] { #expect(try device.toldSets().isSubset(of: log.hashes)) }
        }
        let server = try await site.startServer(at: address)
        for device in [boat, phone, boat] { try await device("sync") }
        try await site.expectEqual(boat, phone)
        #expect(try await phone.texts(of: "notes", track: track).last == "boat 4")
        #expect(try await boat.texts(of: "gear", track: track).last == "phone 4")
        await server.kill()
    }
}
