internal import Glibc
internal import SyncCore

/// A server from its start to its end: store, views, listeners.
struct Server: Sendable {
    private let loop: EventLoop
    private let main: Listener
    private let health: Listener?
    private let folder: DataFolder
    /// Keeps other servers off the folder for as long as this one lives.
    private let lock: FileLock
    /// What devices call this server.
    private let authority: String

    /// What shows devices that this is the server.
    let identity: ServerIdentity
    /// Where the devices' listener is, with the port in use.
    let url: String
    /// `host:port` of the operators' listener, nil where there is none.
    let healthAddress: String?
    /// The error after which the store writes no more.
    let failures: AsyncStream<any Error>
    /// Whether the disk had no room for the reserve.
    let isWithoutReserve: Bool

    /// Opens the store and begins to listen.
    init(
        _ configuration: Configuration.Serve,
        now: @escaping @Sendable () -> UnixTime,
        log: AccessLog,
        limits: Limits = Limits()
    ) async throws {
        let limits = Self.fitting(limits)
        let folder = try DataFolder(configuration.data)
        let lock = try folder.lock()
        let keys = ServerKeys(master: try folder.masterKey(random: Self.randomSecret))
        let identity = try ServerIdentity(configuration, in: folder)
        let reserve = configuration.reserveMebibytes << 20
        let store = try await Self.store(in: folder, keys, reserveByteCount: reserve)
        (failures, isWithoutReserve) = (store.failures, store.isWithoutReserve)
        let address = Locked(configuration.listen)
        let authority = { @Sendable in configuration.authority ?? address.withLock { $0 } }
        let service = Self.service(store, in: folder, keys, authority, limits, now)
        loop = EventLoop()
        let operating = Self.settings(limits, now)
        main = try await Listener(
            on: loop,
            address: configuration.listen,
            settings: Self.settings(for: configuration, identity, like: operating),
            responder: Self.router(service.routes, log, service.metrics),
            bound: { port in
                address.withLock { $0 = Self.with(port: port, $0) }
                let known = ServerAddress(authority: authority(), trust: identity.trust)
                try folder.noteListening(at: known, with: lock)
            }
        )
        let operators = Self.router(service.healthRoutes, log, service.metrics)
        let health = try await Self.listen(configuration.health, loop, operating, operators)
        url = (identity.tls == nil ? "http://" : "https://") + address.withLock { $0 }
        healthAddress = health.flatMap { health in
            configuration.health.map { Self.with(port: health.port, $0) }
        }
        self.authority = authority()
        (self.folder, self.lock, self.identity, self.health) = (folder, lock, identity, health)
    }

    private static func service(
        _ store: any Store,
        in folder: DataFolder,
        _ keys: ServerKeys,
        _ authority: @escaping @Sendable () -> String,
        _ limits: Limits,
        _ now: @escaping @Sendable () -> UnixTime
    ) -> Service {
        Service(
            store: store,
            views: views(of: store, in: folder, keys),
            keys: keys,
            authority: authority,
            now: now,
            limits: limits,
            pace: DevicePace(limits, uptime: uptime),
            metrics: Metrics(),
            noteRevocation: { try folder.appendRevocation(of: $0) }
        )
    }

    /// Returns the settings of the operators' listener.
    private static func settings(
        _ limits: Limits,
        _ now: @escaping @Sendable () -> UnixTime
    ) -> Listener.Settings {
        unsafe Listener.Settings(name: "operators", limits: limits, uptime: uptime, now: now)
    }

    /// Returns the operators' settings plus TLS and the proxy.
    private static func settings(
        for configuration: Configuration.Serve,
        _ identity: ServerIdentity,
        like operating: Listener.Settings
    ) -> Listener.Settings {
        var settings = operating
        (settings.name, settings.proxy) = ("devices", configuration.proxy)
        if let tls = identity.tls { unsafe settings.makeSession = tls.makeSession }
        return settings
    }

    /// Lowers the limits to fit this process's file descriptor limit.
    private static func fitting(_ limits: Limits) -> Limits {
        limits.fitting(
            descriptors: EventLoop.descriptorLimit,
            others: Views.descriptorLimit + 64
        )
    }

    /// Reads certificate and key again, for connections to come.
    func reload() throws {
        try identity.reload()
        try folder.setAddress(ServerAddress(authority: authority, trust: identity.trust))
    }

    private static func listen(
        _ address: String?,
        _ loop: EventLoop,
        _ settings: Listener.Settings,
        _ responder: Router
    ) async throws -> Listener? {
        guard let address else { return nil }
        return try await Listener(
            on: loop,
            address: address,
            settings: settings,
            responder: responder
        )
    }

    private static func router(
        _ routes: [Route],
        _ log: AccessLog,
        _ metrics: Metrics
    ) -> Router {
        Router(
            routes,
            uptime: uptime,
            makeID: { String(Replica.randomIdentifier().description.suffix(12)) },
            observe: { record in
                log(record)
                metrics(record)
            },
            metrics: metrics
        )
    }

    private static func views(
        of store: any Store,
        in folder: DataFolder,
        _ keys: ServerKeys
    ) -> Views {
        Views(store: store, folder: folder.views) { device, epoch in
            DeviceKeys(
                device: device,
                secrets: [epoch: keys.deviceSecret(of: device, epoch: epoch)]
            )
        }
    }

    static func store(
        in folder: DataFolder,
        _ keys: ServerKeys,
        reserveByteCount: Int64 = 0
    ) async throws -> any Store {
        try await folder.openStore(
            receipts: keys.receiptSecret,
            newEpoch: Replica.randomIdentifier(),
            reserveByteCount: reserveByteCount
        )
    }

    static func randomSecret() -> Secret {
        var generator = SystemRandomNumberGenerator()
        return .random(using: &generator)
    }

    private static func with(port: Int, _ address: String) -> String {
        "\(address[..<(address.lastIndex(of: ":") ?? address.endIndex)]):\(port)"
    }

    private static let uptime: @Sendable () -> Duration = {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// Stops accepting, finishes what is in flight, and ends.
    func stop() async {
        async let operating: Void? = health?.stop()
        await main.stop()
        await operating
        await loop.stop()
    }
}
