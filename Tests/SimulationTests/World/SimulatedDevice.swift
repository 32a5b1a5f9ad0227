import SimulatedDisk
@testable import SyncCore
@testable import SyncServer

/// One device: a disk, a clock, and mostly a process that has its replica open.
final class SimulatedDevice {
    static let path = "replica.db"

    let number: Int
    let person: Int
    let disk: Disk
    let clock: SimulatedClock
    private let jobs: Jobs
    private let transport: SimulatedTransport
    private let identifiers: Identifiers
    private(set) var replica: Replica?
    /// What lets the device in, until it has joined.
    var link: Link?
    /// What makes it another device of its person, until it is one.
    var rejoining: Rejoining?
    /// The sync that is going on.
    private(set) var session: Locked<Result<SyncResult, any Error>?>?
    /// The recording that is going on.
    var recording: Recording?
    /// Whether its data is gone for good.
    var isGone = false
    var hasLittleRoom = false
    /// Whether its disk answered, or will answer, with an error.
    var hasFailed = false

    /// A link for a database that was another device before.
    struct Rejoining: Sendable {
        let link: Link
        let before: Identifier
    }

    /// What its world has for a device.
    struct Place {
        let jobs: Jobs
        let time: TrueTime
        let network: Network
        let seed: UInt64
    }

    init(_ number: Int, of person: Int, image: Disk, in place: Place) {
        self.number = number
        self.person = person
        jobs = place.jobs
        disk = Disk(copyOf: image, seed: place.seed)
        clock = SimulatedClock(place.time, boot: UInt64(number) + 1)
        transport = SimulatedTransport(network: place.network, device: number)
        identifiers = Identifiers(seed: place.seed ^ 0x1d)
    }

    /// Whether the disk is an excuse.
    var mayFail: Bool { disk.isOff || hasLittleRoom || hasFailed }

    var name: String { "d\(number)" }

    func open() throws {
        replica = try Replica(
            path: Self.path,
            on: disk.volume(for: jobs),
            newIdentifier: identifiers.next
        )
    }

    /// The process ends, whatever it was doing; nothing is written any more.
    func kill() {
        disk.cut()
        transport.network.forget(number)
        jobs.drain()
        session = nil
        recording = nil
        replica = nil
        jobs.drain()
    }

    /// Runs a call of the replica; nil where the process is not there.
    func run<Value: Sendable>(
        _ body: @escaping @Sendable (Replica) async throws -> Value
    ) throws -> Value? {
        guard let replica else { return nil }
        return try jobs.run { try await body(replica) }
    }

    private static func client(
        of replica: Replica,
        over transport: any Transport,
        _ clock: SimulatedClock,
        _ identifiers: Identifiers
    ) async throws -> ServerClient {
        ServerClient(
            transport: transport,
            authority: SimulatedServer.authority,
            keys: try await replica.read { try $0.identity.deviceKeys() },
            anchor: try await replica.read { try $0.identity.current() }.anchor,
            now: { clock.moment },
            newIdentifier: identifiers.next
        )
    }
}

extension SimulatedDevice {
    /// Begins to join, where it has not, and to sync; false where it does already, or is off.
    func beginSync() -> Bool {
        guard let replica, session == nil else { return false }
        let (link, clock, transport, identifiers) = (link, clock, transport, identifiers)
        let rejoining = rejoining
        session = jobs.start {
            if let rejoining,
                try await replica.read({ try $0.identity.current() }).device == rejoining.before
            {
                try await Enroller(transport: transport)
                    .rejoin(rejoining.link, with: replica, at: clock.wall)
            }
            if let link, try await replica.read({ try $0.identity.current() }).authority == nil {
                try await Enroller(transport: transport).join(link, with: replica, at: clock.wall)
            }
            let client = try await Self.client(of: replica, over: transport, clock, identifiers)
            return try await Synchronizer(
                replica: replica,
                client: client,
                now: { clock.moment },
                sleep: { try await transport.sleep($0) },
                jitter: { 0.5 }
            ).sync()
        }
        return true
    }

    /// How the sync went, once when it has ended.
    func endedSession() -> Result<SyncResult, any Error>? {
        guard let result = session?.withLock({ $0 }) else { return nil }
        session = nil
        return result
    }

    /// Takes a device's right to sync away; whether the server did it.
    func revoke(_ device: Identifier, over transport: DirectTransport) throws -> Bool {
        let (clock, identifiers) = (clock, identifiers)
        let request = HTTPRequest("DELETE", "/v1/devices/\(device)")
        return try run { replica in
            let client = try await Self.client(of: replica, over: transport, clock, identifiers)
            return try await client.send(request).status == 204
        } ?? false
    }

    /// A link for another device of the same person.
    func makeLink(over transport: DirectTransport, seed: UInt64) throws -> Link? {
        let (clock, identifiers) = (clock, identifiers)
        return try run { replica in
            var random = SplitMix64(seed: seed)
            let client = try await Self.client(of: replica, over: transport, clock, identifiers)
            return try await Enroller.link(
                for: replica,
                client: client,
                validSeconds: 600_000,
                using: &random
            )
        }
    }
}
