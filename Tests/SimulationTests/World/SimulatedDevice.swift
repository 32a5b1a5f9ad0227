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
    /// Another process that has the replica open; then the two take turns.
    private var other: Replica?
    private var isOthersTurn = false
    /// What lets the device in, until it has joined.
    var link: Link?
    /// What makes it another device of its person, until it is one.
    var rejoining: Rejoining?
    /// Whether the server refused it at its last sync.
    var isKeptOut = false
    /// The boots in which the server told the time.
    private(set) var datedBoots: Set<Identifier> = []
    /// The sync that is going on.
    private(set) var session: Locked<Result<SyncResult, any Error>?>?
    /// The recording that is going on.
    var recording: Recording?
    /// Whether its data is gone for good.
    var isGone = false
    /// Whether a bit of its database was flipped at the end of the world.
    var isDamaged = false
    /// Whether one was flipped before.
    var hasFlippedBit = false
    var hasLittleRoom = false
    /// Whether its disk answered, or will answer, with an error.
    var hasFailed = false

    /// What lets a database in as another device than it was before.
    struct Rejoining: Sendable {
        let door: Door
        let before: Identifier
    }

    enum Door: Sendable {
        case link(Link)
        case code(RecoveryCode)
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

    /// Notes that the server told the time in this boot.
    func noteTime() { datedBoots.insert(clock.moment.boot) }

    func open() throws { replica = try opened() }

    private func opened() throws -> Replica {
        try Replica(path: Self.path, on: disk.volume(for: jobs), newIdentifier: identifiers.next)
    }

    /// Another process opens the replica, or the one that did so ends.
    func toggleOther() throws {
        guard replica != nil else { return }
        other = other == nil ? try opened() : nil
        jobs.drain()
    }

    /// The process ends, whatever it was doing; nothing is written any more.
    func kill() {
        disk.cut()
        transport.network.forget(number)
        jobs.drain()
        session = nil
        recording = nil
        (replica, other) = (nil, nil)
        jobs.drain()
    }

    /// Runs a call of the replica; nil where the process is not there.
    func run<Value: Sendable>(
        _ body: @escaping @Sendable (Replica) async throws -> Value
    ) throws -> Value? {
        guard let replica else { return nil }
        isOthersTurn.toggle()
        let process = isOthersTurn ? other ?? replica : replica
        return try jobs.run { try await body(process) }
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
        let (rejoining, code) = (rejoining, code)
        session = jobs.start {
            if let rejoining,
                try await replica.read({ try $0.identity.current() }).device == rejoining.before
            {
                let enroller = Self.enroller(over: transport)
                switch rejoining.door {
                case .link(let link):
                    try await enroller.rejoin(link, with: replica, at: clock.moment)
                case .code(let code):
                    try await enroller.recover(by: code, with: replica, at: clock.moment)
                }
            }
            if let link, try await replica.read({ try $0.identity.current() }).authority == nil {
                try await Self.enroller(over: transport)
                    .join(link, with: replica, at: clock.moment)
                try await Self.addCode(code, to: replica, at: clock.moment)
            }
            return try await Self.sync(replica, over: transport, clock, identifiers) {
                try await transport.sleep($0)
            }
        }
        return true
    }

    private static func enroller(over transport: any Transport) -> Enroller {
        Enroller(
            transport: transport,
            authority: SimulatedServer.authority,
            trust: .authorities
        )
    }

    /// A person's first device makes the code on paper.
    private static func addCode(
        _ code: RecoveryCode,
        to replica: Replica,
        at now: Moment
    ) async throws {
        try await replica.write { parts in
            let own = try parts.spaces.own()
            guard try !parts.controls.plannedChain(of: own).hasRecoveryCode else { return }
            try parts.controlSealer.add(code, at: now)
        }
    }

    private static func sync(
        _ replica: Replica,
        over transport: any Transport,
        _ clock: SimulatedClock,
        _ identifiers: Identifiers,
        sleep: @escaping @Sendable (Int) async throws -> Void
    ) async throws -> SyncResult {
        try await Synchronizer(
            replica: replica,
            client: try await client(of: replica, over: transport, clock, identifiers),
            enroller: enroller(over: transport),
            now: { clock.moment },
            sleep: sleep,
            jitter: { 0.5 }
        ).sync()
    }

    /// Syncs with a server, without a network.
    @discardableResult
    func sync(with server: SimulatedServer) throws -> SyncResult? {
        try sync(over: server.directly)
    }

    /// Syncs over what reaches a server; nil where nothing does.
    @discardableResult
    func sync(over transport: DirectTransport?) throws -> SyncResult? {
        guard let transport else { return nil }
        let (clock, identifiers) = (clock, identifiers)
        return try run {
            try await Self.sync($0, over: transport, clock, identifiers) { _ in }
        }
    }

    /// Restores by the code of its person, and syncs, without a network.
    func recover(with server: SimulatedServer) throws {
        guard let transport = server.directly else { return }
        let (clock, code) = (clock, code)
        _ = try run {
            let enroller = Self.enroller(over: transport)
            try await enroller.recover(by: code, with: $0, at: clock.moment)
        }
        try sync(with: server)
    }

    /// The code of this device's person.
    var code: RecoveryCode {
        var random = SplitMix64(seed: UInt64(person) ^ 0xc0de)
        return RecoveryCode(using: &random)
    }

    /// How the sync went, once when it has ended.
    func endedSession() -> Result<SyncResult, any Error>? {
        guard let result = session?.withLock({ $0 }) else { return nil }
        session = nil
        return result
    }

    /// Takes a device's right to sync away; whether the server knows of it.
    func revoke(_ device: Identifier, over transport: DirectTransport) throws -> Bool {
        let (clock, identifiers) = (clock, identifiers)
        return try run { replica in
            let now = clock.moment
            guard try await Self.chain(of: replica).cards[device]?.isLive == true else {
                return false
            }
            try await replica.write { try $0.controlSealer.revoke([device], at: now) }
            _ = try await Self.sync(replica, over: transport, clock, identifiers) { _ in }
            return try await Self.chain(of: replica).cards[device]?.isLive == false
        } ?? false
    }

    /// A link for another device of the same person; nil if the server does not hear of it.
    func makeLink(over transport: DirectTransport, seed: UInt64) throws -> Link? {
        let (clock, identifiers) = (clock, identifiers)
        return try run { replica in
            var random = SplitMix64(seed: seed)
            let link = try await Enroller.link(
                for: replica,
                validSeconds: 600_000,
                at: clock.moment,
                using: &random
            )
            _ = try await Self.sync(replica, over: transport, clock, identifiers) { _ in }
            let id = link.secret.keys.publicKeys.invitation
            let isOpen = try await Self.chain(of: replica).openInvitations[id] != nil
            return isOpen ? try await Enroller.anchored(link, for: replica) : nil
        } ?? nil
    }

    private static func chain(of replica: Replica) async throws -> ControlChain {
        try await replica.read { try $0.controls.chain(of: try $0.spaces.own()) }
    }
}
