import Foundation
import SyncCore
import Testing

/// A server and two devices that reach it through a proxy.
struct FaultySite {
    let site: Site
    let proxy: FaultProxy
    let server: RunningServer
    let boat: Device
    let phone: Device

    /// Runs `body` with a server behind a proxy, and ends both whatever happens.
    static func serving(_ body: (FaultySite) async throws -> Void) async throws {
        let proxy = try FaultProxy()
        let site = try Site()
        try await site.serving(["--plain", "--authority", proxy.address]) { server in
            try proxy.setTarget(server.address)
            let (boat, phone) = try await site.pair()
            try await body(
                FaultySite(site: site, proxy: proxy, server: server, boat: boat, phone: phone)
            )
        }
    }

    /// A track that both devices have.
    func sharedTrack() async throws -> String {
        let file = try site.file("shared.gpx", Inputs.gpx(name: "shared", points: 20))
        try await boat("import", file)
        for device in [boat, phone] { try await device("sync") }
        return try #require(try await phone.tracks().first?.id)
    }

    /// Syncs while connections are spoiled, in the order given; whether it said that all went well.
    func sync(_ device: Device, through faults: [Fault]) async throws -> Bool {
        proxy.spoil(faults)
        let outcome = try await device.run("sync")
        #expect([0, 5].contains(outcome.code), "\(faults): \(outcome.errors)")
        try await proxy.calm()
        return outcome.code == 0
    }

    /// Everything is everywhere, once, after each device could sync undisturbed.
    func expectWhole() async throws {
        try await proxy.calm()
        for device in [boat, phone, boat] { try await device("sync") }
        try await site.expectEqual(boat, phone)
        let log = try ServerLog(of: site)
        log.expectDense()
        for device in [boat, phone] { #expect(try device.toldSets().isSubset(of: log.hashes)) }
    }
}
