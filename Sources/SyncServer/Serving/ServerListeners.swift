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
        var settings = operating
        (settings.name, settings.proxy) = ("devices", configuration.proxy)
        if let tls { unsafe settings.makeSession = tls.makeSession }
        devices = try await Listener(
            on: loop,
            address: configuration.listen,
            settings: settings,
            responder: Self.router(service.routes, log, service.metrics),
            bound: bound
        )
        guard let health = configuration.health else {
            (operators, healthAddress) = (nil, nil)
            return
        }
        let listener = try await Listener(
            on: loop,
            address: health,
            settings: operating,
            responder: Self.router(service.healthRoutes, log, service.metrics)
        )
        operators = listener
        healthAddress = ListeningAddress.replacingPort(of: health, by: listener.port)
    }

    private static func router(_ routes: [Route], _ log: AccessLog, _ metrics: Metrics) -> Router {
        Router(
            routes: routes,
            uptime: uptime,
            makeID: { String(Replica.randomIdentifier().description.suffix(12)) },
            observe: { record in
                log(record)
                metrics(record)
            },
            metrics: metrics
        )
    }

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
