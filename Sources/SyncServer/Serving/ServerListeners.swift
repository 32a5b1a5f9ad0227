internal import Glibc
internal import SyncCore

/// The listeners of a server, for devices and for operators, on one event loop.
struct ServerListeners: Sendable {
    private let loop: EventLoop
    private let devices: Listener
    private let operators: Listener?
    /// `host:port` of the operators' listener, or nil if there is none.
    let healthAddress: String?

    /// Starts both listeners.
    ///
    /// Calls `bound` with the port of the devices' listener before the first client can connect.
    init(
        _ configuration: Configuration.Serve,
        for service: Service,
        tls: TLSContext?,
        log: AccessLog,
        bound: @Sendable (_ port: Int) throws -> Void
    ) async throws {
        loop = EventLoop()
        let operating = unsafe Listener.Settings(
            name: "operators",
            limits: service.limits,
            uptime: Self.uptime,
            now: service.now
        )
        devices = try await Listener(
            on: loop,
            address: configuration.listen,
            settings: Self.settings(for: configuration, tls, like: operating),
            responder: Self.router(service.routes, log, service.metrics),
            bound: bound
        )
        let router = Self.router(service.healthRoutes, log, service.metrics)
        operators = try await Self.listen(configuration.health, loop, operating, router)
        healthAddress = operators.flatMap { listener in
            configuration.health.map { ListeningAddress.replacingPort(of: $0, by: listener.port) }
        }
    }

    /// Returns the operators' settings plus TLS and the proxy.
    private static func settings(
        for configuration: Configuration.Serve,
        _ tls: TLSContext?,
        like operating: Listener.Settings
    ) -> Listener.Settings {
        var settings = operating
        (settings.name, settings.proxy) = ("devices", configuration.proxy)
        if let tls { unsafe settings.makeSession = tls.makeSession }
        return settings
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

    /// The monotonic clock.
    static let uptime: @Sendable () -> Duration = {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// Stops accepting, waits for requests in progress, and ends the loop.
    func stop() async {
        async let operating: Void? = operators?.stop()
        await devices.stop()
        await operating
        await loop.stop()
    }
}

/// The address of the devices' listener; its port is known once it is bound.
struct ListeningAddress: Sendable {
    private let configured: String?
    private let listening: Locked<String>

    init(_ configuration: Configuration.Serve) {
        configured = configuration.authority
        listening = Locked(configuration.listen)
    }

    var hostAndPort: String { listening.withLock { $0 } }

    /// `host:port` in links and signatures.
    var authority: String { configured ?? hostAndPort }

    func notePort(_ port: Int) {
        listening.withLock { $0 = Self.replacingPort(of: $0, by: port) }
    }

    static func replacingPort(of address: String, by port: Int) -> String {
        "\(address[..<(address.lastIndex(of: ":") ?? address.endIndex)]):\(port)"
    }
}
