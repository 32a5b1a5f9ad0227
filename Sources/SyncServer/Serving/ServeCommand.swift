internal import Dispatch
internal import Glibc
internal import ProgramKit

enum ServeCommand {
    static let command = Command(
        "serve",
        summary: "run the server until SIGTERM",
        options: [
            Option("--listen HOST:PORT", "address for devices (127.0.0.1:8300)"),
            Option("--health HOST:PORT", "address for operators (the next port), or 'none'"),
            .authority,
        ] + Option.certificate + [
            Option("--plain", "HTTP without TLS, on a loopback address only"),
            Option("--proxy ADDRESS", "HTTP without TLS, for the one proxy with this address"),
            Option("--reserve MIB", "disk space reserved for small writes (64); 0 for none"),
        ],
        details: """
            Port 0 picks a free port. The address of --health serves /healthz, /readyz and
            /metrics to operators, on this machine only and without TLS. SIGHUP reloads the
            certificate.

            Without --certificate and --key, the server generates its own key, and every
            link carries that key. --proxy takes an IP address; the proxy terminates TLS
            with a certificate of an authority. The reserve is for a full disk: a device can
            still be revoked.
            """
    ) { arguments, context in
        let configuration = try Configuration.Serve(arguments, data: context.dataFolder())
        try await serve(configuration, context)
        return .success
    }

    /// Serves until SIGTERM or SIGINT; SIGHUP reloads the certificate.
    private static func serve(
        _ configuration: Configuration.Serve,
        _ context: ServerContext
    ) async throws {
        let (signals, continuation) = AsyncStream.makeStream(of: Int32.self)
        let sources = Signals.catching([SIGTERM, SIGINT, SIGHUP]) { continuation.yield($0) }
        defer { for source in sources { source.cancel() } }
        let lines = LineWriter(STDERR_FILENO)
        defer { lines.finish() }
        let form: AccessLog.Format = context.output.isErrorTerminal ? .text : .json
        let log = AccessLog(format: form, now: context.now) { lines($0) }
        let server = try await Server(configuration, now: context.now, log: log)
        tell(server, context.output)
        warn(of: server, configuration, context.output)
        let watch = Task {
            for await failure in server.failures {
                continuation.yield(SIGTERM)
                return failure
            }
            throw CancellationError()
        }
        let notices = Task { for await notice in server.notices { context.output.warn(notice) } }
        defer { notices.cancel() }
        for await signal in signals {
            guard signal == SIGHUP else { break }
            reload(server, context.output)
        }
        watch.cancel()
        await server.stop()
        if case .success(let failure) = await watch.result { throw failure }
    }

    private static func tell(_ server: Server, _ output: Output) {
        output.result(
            .object([
                ("url", .text(server.url)), ("identity", .text("\(server.identity)")),
                ("health", .text(server.healthAddress.map { "http://\($0)" })),
            ])
        ) {
            let health = server.healthAddress.map { "health and metrics on http://\($0)\n" }
            return "listening on \(server.url)\n\(server.identity)\n" + (health ?? "")
        }
    }

    private static func warn(
        of server: Server,
        _ configuration: Configuration.Serve,
        _ output: Output
    ) {
        if configuration.linksNameNoMachine {
            output.warn(
                "links carry \(configuration.listen), which is no address that devices can reach; "
                    + "give --authority HOST:PORT"
            )
        }
        if server.isWithoutReserve {
            output.warn(
                "the disk of \(configuration.data) has no space for the reserve; when it is full, no "
                    + "device can be revoked: free disk space, or set --reserve MIB"
            )
        }
    }

    private static func reload(_ server: Server, _ output: Output) {
        let trust = server.identity.trust
        defer {
            if server.identity.trust != trust {
                output.warn(
                    "links now name another key, or a certificate authority instead of a key; devices "
                        + "that joined before may reject this server until each joins again with a "
                        + "new link"
                )
            }
        }
        do {
            try server.reload()
            output.line("reloaded: \(server.identity)")
        } catch {
            output.report(UserError(describing: error))
            guard error is TLSError else { return }
            output.note("wake-server: the previous certificate remains in use")
        }
    }
}
