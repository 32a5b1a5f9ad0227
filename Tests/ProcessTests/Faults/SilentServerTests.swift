import Foundation
import Harness
import SyncCore
import Testing

/// N3: a connection that stays open and says nothing more is given up in time.
@Suite(.idleProcesses) struct SilentServerTests {
    private static let limits = {
        var limits = HTTPTransport.Limits()
        limits.totalMilliseconds = 400
        return limits
    }()

    /// Syncs a device's replica in this process, with short limits and waits.
    private func sync(_ device: Device) async throws -> SyncResult {
        let replica = try Replica(path: device.path + "/replica.db")
        let identity = try await replica.read { try $0.identity.current() }
        let authority = try #require(identity.authority)
        let now: @Sendable () -> Moment = {
            Moment(
                wall: UnixTime(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)),
                uptimeMilliseconds: Int64(ProcessInfo.processInfo.systemUptime * 1000),
                boot: Identifier(bytes: [UInt8](repeating: 7, count: 16)) ?? .zero
            )
        }
        let transport = HTTPTransport(authority: authority, trust: .plain, limits: Self.limits)
        let client = ServerClient(
            transport: transport,
            authority: authority,
            keys: try await replica.read { try $0.identity.deviceKeys() },
            anchor: nil,
            now: now
        )
        return try await Synchronizer(
            replica: replica,
            client: client,
            enroller: Enroller(transport: transport, authority: authority, trust: .plain),
            now: now,
            sleep: { _ in }
        ).sync()
    }

    @Test(arguments: Fault.Direction.allCases, [0, 40])
    func `a sync ends after four requests that were not answered in time`(
        direction: Fault.Direction,
        place: Int
    ) async throws {
        try await FaultySite.serving { faulty in
            let track = try await faulty.sharedTrack()
            try await faulty.boat("tracks", "rename", track, "later")
            let fault = Fault.silence(direction, after: place)
            faulty.proxy.spoil([Fault](repeating: fault, count: 8))
            let result = try await sync(faulty.boat)
            #expect(result.end == .unreachable(.timedOut(authority: faulty.proxy.address)))
            #expect(faulty.proxy.spoiledCount == 4)
            try await faulty.expectWhole()
            #expect(try await faulty.phone.tracks().map(\.name) == ["later"])
        }
    }
}
