import SimulatedDisk
@testable import SyncCore
@testable import SyncServer

/// The whole server but its sockets, on a disk of its own.
final class SimulatedServer {
    static let authority = "simulated:1"
    static let path = "store.db"
    static let master = Secret(bytes: [UInt8](repeating: 7, count: 32))

    let disk: Disk
    let clock: SimulatedClock
    let keys: ServerKeys
    let jobs: Jobs
    private let identifiers: Identifiers
    private(set) var store: SQLiteStore?
    private(set) var views: Views?
    private var router: Router?
    /// Whether its disk answered with an error, after which the program ends.
    private var failure = Locked(false)
    /// What is noted beside the store.
    let revoked = Locked<[Identifier]>([])
    /// Whether a bit of its store was flipped before the end of the world.
    var hasFlippedBit = false
    /// Faults that a handler did not expect.
    let faults = Locked<[String]>([])

    init(_ jobs: Jobs, _ clock: SimulatedClock, template: Disk, seed: UInt64) {
        disk = Disk(copyOf: template, seed: seed)
        self.clock = clock
        self.jobs = jobs
        identifiers = Identifiers(seed: seed)
        keys = ServerKeys(master: Self.master)
    }

    var isUp: Bool { router != nil }
    var hasFailed: Bool { failure.withLock { $0 } }

    /// Begins to answer; in a new epoch where the operator says that the store is another one.
    func start(isAnother: Bool = false) throws {
        let (keys, clock) = (keys, clock)
        if isAnother { try beginEpoch() }
        let store = try SQLiteStore(
            path: Self.path,
            on: disk.volume(for: jobs),
            receipts: keys.receiptSecret,
            newEpoch: identifiers.next()
        )
        let revocations = revoked
        try jobs.run { try await store.replayRevocations(revocations.withLock { $0 }) }
        let views = Views(store: store, folder: "views", on: disk.volume(for: jobs))
        let limits = SyncServer.Limits()
        let service = Service(
            store: store,
            views: views,
            keys: keys,
            authority: { Self.authority },
            now: { clock.wall },
            limits: limits,
            pace: DevicePace(limits, uptime: { .milliseconds(clock.moment.uptimeMilliseconds) }),
            metrics: Metrics(),
            noteRevocation: { device in revocations.withLock { $0.append(device) } },
            newIdentifier: identifiers.next
        )
        router = Router(
            routes: service.workingOperations.map(\.route),
            uptime: { .zero },
            makeID: { "request" },
            observe: { [faults] record in
                guard let fault = record.fault else { return }
                faults.withLock { $0.append("\(record.route): \(fault)") }
            }
        )
        self.store = store
        self.views = views
        let (failure, failures) = (Locked(false), store.failures)
        self.failure = failure
        _ = jobs.start { for await _ in failures { failure.withLock { $0 = true } } }
    }

    /// What `wake-server restore` does to a store.
    private func beginEpoch() throws {
        disk.take(filesOf: Disk(seed: 0), named: "views")
        let store = try Database(path: Self.path, on: disk.volume(for: jobs))
        try SQLiteStore.migrations.migrate(store)
        let tables = SQLiteTables(database: store)
        try tables.setFirstEpoch(identifiers.next())
        try tables.beginEpoch(identifiers.next())
    }

    func stop() {
        router = nil
        views = nil
        store = nil
    }

    /// Begins to answer; nil while the server is down.
    func answer(_ request: HTTPRequest) -> Locked<Result<HTTPResponse, any Error>?>? {
        router.map { router in jobs.start { await router.respond(to: request) } }
    }

    /// A link for the first device of a person.
    func invite(named name: String) throws -> Link {
        let link = Link(
            authority: Self.authority,
            secret: LinkSecret(identifiers.next()),
            trust: .authorities
        )
        let invitation = Invitation(
            token: Digest(of: link.secret.token),
            name: name,
            expires: UnixTime(milliseconds: .max)
        )
        let store = store
        try jobs.run { try await store?.invite(invitation) }
        return link
    }
}

/// Reaches the server without a network.
struct DirectTransport: Transport {
    let respond: @Sendable (HTTPRequest) async -> HTTPResponse

    func send(_ request: HTTPRequest) async throws -> HTTPResponse { await respond(request) }
}

extension SimulatedServer {
    var directly: DirectTransport? {
        router.map { router in DirectTransport { await router.respond(to: $0) } }
    }
}

/// Identifiers from a seed.
final class Identifiers: Sendable {
    private let random: Locked<SplitMix64>

    init(seed: UInt64) {
        random = Locked(SplitMix64(seed: seed))
    }

    @Sendable func next() -> Identifier {
        random.withLock { .random(using: &$0) }
    }
}
