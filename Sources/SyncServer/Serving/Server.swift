internal import SyncCore

/// A running server: store, views and listeners.
struct Server: Sendable {
    private let listeners: ServerListeners
    private let address: ListeningAddress
    private let folder: DataFolder
    /// Excludes other servers from the folder while this one lives.
    private let lock: FileLock

    /// The identity that devices verify.
    let identity: ServerIdentity
    /// Yields the error after which the store writes nothing more.
    let failures: AsyncStream<any Error>
    /// Yields sentences for the operator.
    let notices: AsyncStream<String>
    let isWithoutReserve: Bool

    init(
        _ configuration: Configuration.Serve,
        now: @escaping @Sendable () -> UnixTime,
        log: AccessLog,
        limits: Limits = Limits()
    ) async throws {
        let folder = try DataFolder(configuration.data)
        let address = ListeningAddress(configuration)
        let lock = try folder.lock()
        let keys = ServerKeys(master: try folder.masterKey(random: Self.randomSecret))
        let identity = try ServerIdentity(configuration, in: folder)
        let reserve = configuration.reserveMebibytes << 20
        let store = try await folder.openStore(keys, reserveByteCount: reserve)
        (failures, notices) = (store.failures, store.notices)
        isWithoutReserve = store.isWithoutReserve
        listeners = try await ServerListeners(
            configuration,
            for: Self.service(store, in: folder, keys, at: address, Self.fitting(limits), now),
            tls: identity.tls,
            log: log
        ) { port in
            address.notePort(port)
            let known = ServerAddress(authority: address.authority, trust: identity.trust)
            try folder.noteListening(at: known, with: lock)
        }
        (self.folder, self.lock, self.identity, self.address) = (folder, lock, identity, address)
    }

    /// The URL of the devices' listener, with the port in use.
    var url: String { (identity.tls == nil ? "http://" : "https://") + address.hostAndPort }

    /// `host:port` of the operators' listener, or nil if there is none.
    var healthAddress: String? { listeners.healthAddress }

    /// Reloads certificate and key for new connections.
    func reload() throws {
        try identity.reload()
        try folder.setAddress(ServerAddress(authority: address.authority, trust: identity.trust))
    }

    /// Stops accepting, waits for requests in progress, and closes.
    func stop() async { await listeners.stop() }
}

extension Server {
    private static func service(
        _ store: any Store,
        in folder: DataFolder,
        _ keys: ServerKeys,
        at address: ListeningAddress,
        _ limits: Limits,
        _ now: @escaping @Sendable () -> UnixTime
    ) -> Service {
        Service(
            store: store,
            views: Views(store: store, folder: folder.views),
            keys: keys,
            authority: { address.authority },
            now: now,
            limits: limits,
            pace: DevicePace(limits, uptime: ServerListeners.uptime),
            metrics: Metrics(),
            noteRevocation: { try folder.appendRevocations(of: [$0]) },
            newIdentifier: Replica.randomIdentifier
        )
    }

    /// Lowers the limits to fit this process's file descriptor limit.
    private static func fitting(_ limits: Limits) -> Limits {
        limits.fitting(descriptors: EventLoop.descriptorLimit, others: Views.descriptorLimit + 64)
    }

    static func randomSecret() -> Secret {
        var generator = SystemRandomNumberGenerator()
        return .random(using: &generator)
    }
}
