import Foundation
import SyncCore

@testable import SyncServer

/// A device with a real replica file and the real engine, joined to a ``TestServer``.
final class TestDevice: Sendable {
    let path: String
    let replica: Replica
    let server: TestServer
    /// How far this device's wall clock is off.
    let offset: Locked<Int64>
    private let folder: TestFolder

    init(_ name: String, _ server: TestServer, offsetMilliseconds: Int64 = 0) throws {
        folder = try TestFolder()
        path = folder.path + "/replica.db"
        self.server = server
        offset = Locked(offsetMilliseconds)
        var generator = SystemRandomNumberGenerator()
        try Replica.create(at: path, name: name, now: server.clock.wall, using: &generator)
        replica = try Replica(path: path)
    }

    /// The same device from a copy of its files.
    init(copyOf device: TestDevice, withGuard: Bool) async throws {
        folder = try TestFolder()
        path = folder.path + "/replica.db"
        server = device.server
        offset = Locked(device.offset.withLock { $0 })
        for suffix in ["", "-wal"] + (withGuard ? [".seals"] : []) {
            let source = device.path + suffix
            guard FileManager.default.fileExists(atPath: source) else { continue }
            try FileManager.default.copyItem(atPath: source, toPath: path + suffix)
        }
        replica = try Replica(path: path)
    }

    var moment: Moment { server.clock.moment(offBy: offset.withLock { $0 }) }

    func join(_ link: Link) async throws {
        try await enroller().join(link, with: replica, at: moment)
    }

    func enroller(_ transport: (any Transport)? = nil) -> Enroller {
        Enroller(
            transport: transport ?? RouterTransport(router: server.router),
            authority: server.authority,
            trust: .authorities
        )
    }

    func client(_ transport: (any Transport)? = nil) async throws -> ServerClient {
        ServerClient(
            transport: transport ?? RouterTransport(router: server.router),
            authority: server.authority,
            keys: try await replica.read { try $0.identity.deviceKeys() },
            anchor: try await replica.read { try $0.identity.current() }.anchor,
            now: { self.moment }
        )
    }

    /// A link for a further device of the same person, which no server knows of yet.
    func unsentLink() async throws -> Link {
        var generator = SystemRandomNumberGenerator()
        return try await Enroller.link(
            for: replica,
            validSeconds: 600,
            at: moment,
            using: &generator
        )
    }

    /// A link for a further device of the same person.
    ///
    /// - Parameter server: the server that learns of it, if not the one that this device joined first.
    func link(at server: TestServer? = nil) async throws -> Link {
        let link = try await unsentLink()
        _ = try await sync(over: server?.transport)
        return try await Enroller.anchored(link, for: replica)
    }

    /// Revokes a device in the own space, as it is known after a sync, and tells the server.
    func revoke(_ device: TestDevice) async throws {
        _ = try await sync()
        let id = try await device.replica.read { try $0.identity.current() }.device
        try await replica.write { try $0.controlSealer.revoke([id], at: moment) }
        _ = try await sync()
    }

    @discardableResult
    func sync(over transport: (any Transport)? = nil) async throws -> SyncResult {
        let synchronizer = Synchronizer(
            replica: replica,
            client: try await client(transport),
            enroller: enroller(transport),
            now: { self.moment },
            sleep: { self.server.clock.advance(by: Int64($0)) },
            jitter: { 0.5 }
        )
        return try await synchronizer.sync()
    }

    /// What a writer names who has merged this device's control chain and nothing of the log.
    func seen() async throws -> Seen {
        let own = try await space()
        let chain = try await replica.read { try $0.controls.chain(of: own) }
        return Seen(position: .none, chain: .zero, controls: chain.count)
    }

    func space() async throws -> Identifier { try await replica.read { try $0.spaces.own() } }

    func fingerprint() async throws -> Fingerprint {
        let own = try await space()
        return try unwrapped(try await replica.read { try $0.spaces.all() }.first { $0.id == own })
            .fingerprint
    }

    func set(_ field: Text, _ value: Value, of track: Identifier) async throws {
        let key = Key(TrackField.collection, .id(track), field)
        try await replica.write {
            try $0.rows.write([Edit(key, value)], in: try $0.spaces.own(), at: moment)
        }
    }

    func value(_ field: Text, of track: Identifier) async throws -> Value? {
        try await replica.read {
            try $0.rows.cells(TrackField.collection, .id(track), in: try $0.spaces.own())
        }[field]?
        .value
    }
}

/// Unwraps outside of a test's own body.
func unwrapped<Wrapped>(_ value: Wrapped?) throws -> Wrapped {
    guard let value else { throw CocoaError(.coderValueNotFound) }
    return value
}
