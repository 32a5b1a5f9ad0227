import Foundation
import SyncCore

@testable import SyncServer

/// A whole server without a socket: real store, real views, real routes, in a folder of its own.
final class TestServer: Sendable {
    let folder: TestFolder
    let store: SQLiteStore
    let router: Router
    let service: Service
    let clock: TestClock
    let authority = "test:1"
    /// What was noted beside the store.
    let revocations = Locked<[Identifier]>([])

    init(
        clock: TestClock = TestClock(),
        folder: TestFolder? = nil,
        master: UInt8 = 7,
        limits: SyncServer.Limits = SyncServer.Limits(),
        reserveByteCount: Int64 = 0
    ) throws {
        let folder = try folder ?? TestFolder()
        self.folder = folder
        self.clock = clock
        let revocations = revocations
        let keys = ServerKeys(master: Secret(bytes: [UInt8](repeating: master, count: 32)))
        let store = try SQLiteStore(
            path: folder.path + "/store.db",
            receipts: keys.receiptSecret,
            newEpoch: Replica.randomIdentifier(),
            reserveByteCount: reserveByteCount
        )
        self.store = store
        try FileManager.default.createDirectory(
            atPath: folder.path + "/views",
            withIntermediateDirectories: true
        )
        service = Service(
            store: store,
            views: Views(store: store, folder: folder.path + "/views"),
            keys: keys,
            authority: { "test:1" },
            now: { clock.wall },
            limits: limits,
            pace: DevicePace(limits, uptime: { .milliseconds(clock.moment().uptimeMilliseconds) }),
            metrics: Metrics(),
            noteRevocation: { device in revocations.withLock { $0.append(device) } },
            newIdentifier: Replica.randomIdentifier
        )
        router = Router(
            routes: service.routes,
            uptime: { .zero },
            makeID: { "request" },
            observe: { record in
                if let fault = record.fault { print("fault in \(record.route): \(fault)") }
            }
        )
    }

    /// A link for a new person's first device.
    func invite() async throws -> Link {
        let link = Link(
            authority: authority,
            secret: LinkSecret(Replica.randomIdentifier()),
            trust: .authorities
        )
        try await store.invite(
            Invitation(
                token: Digest(of: link.secret.token),
                name: "Ann",
                expires: UnixTime(milliseconds: clock.wall.milliseconds + 1_000_000)
            )
        )
        return link
    }
}

/// Hands requests to a router; a hook can lose them or their replies.
struct RouterTransport: Transport {
    let router: Router
    var before: @Sendable (HTTPRequest) throws -> Void = { _ in }
    var after: @Sendable (HTTPRequest, HTTPResponse) throws -> HTTPResponse = { $1 }

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        try before(request)
        return try after(request, await router.respond(to: request))
    }
}

/// A folder that goes away with the test.
final class TestFolder: Sendable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "wake-test-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }
}

/// A clock that tests set.
final class TestClock: Sendable {
    private let state = Locked<(wall: Int64, uptime: Int64)>((1_777_000_000_000, 1000))

    var wall: UnixTime { UnixTime(milliseconds: state.withLock { $0.wall }) }

    /// A moment of a device whose wall clock is off by some milliseconds.
    func moment(offBy offset: Int64 = 0) -> Moment {
        state.withLock {
            Moment(
                wall: UnixTime(milliseconds: $0.wall + offset),
                uptimeMilliseconds: $0.uptime,
                boot: Identifier(number: 1)
            )
        }
    }

    /// Sets the wall clock forward or back, as a person does.
    func step(by milliseconds: Int64) {
        state.withLock { $0.wall += milliseconds }
    }

    func advance(by milliseconds: Int64) {
        state.withLock {
            $0.wall += milliseconds
            $0.uptime += milliseconds
        }
    }
}
