internal import Dispatch
internal import Glibc
internal import SyncCore

@main
enum WakeServer {
    static let version = OpenAPI.version

    static func main() async {
        umask(0o077)
        do {
            try await run(Configuration(Array(CommandLine.arguments.dropFirst())))
        } catch {
            complain(error)
            exit(ExitCode(error).rawValue)
        }
    }

    private static func run(_ configuration: Configuration) async throws {
        switch configuration {
        case .help: say(help)
        case .version: say("wake-server \(version)")
        case .invite(let guest, let data, let authority):
            try await DataFolder.waitForStart(
                at: data,
                sleep: { try await Task.sleep(for: .milliseconds($0)) },
                onLongWait: {
                    writeError(
                        "wake-server: a server is starting on \(data); waiting up to a minute\n"
                    )
                }
            )
            try await invite(guest, in: DataFolder(existing: data), authority: authority)
        case .backup(let file, let data):
            try await backUp(DataFolder(existing: data), to: file)
        case .restore(let file, let data):
            try await restore(file, into: DataFolder(withKeyAt: data))
        case .doctor(let doctor): try await examine(doctor)
        case .serve(let serve): try await self.serve(serve)
        }
    }

    /// Serves until SIGTERM or SIGINT; SIGHUP reads the certificate again.
    private static func serve(_ configuration: Configuration.Serve) async throws {
        let (signals, continuation) = AsyncStream.makeStream(of: Int32.self)
        let sources = [SIGTERM, SIGINT, SIGHUP].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler { continuation.yield(number) }
            source.resume()
            return source
        }
        defer { for source in sources { source.cancel() } }
        let lines = LineWriter(STDERR_FILENO)
        defer { lines.finish() }
        let log = AccessLog(isatty(STDERR_FILENO) == 1 ? .text : .json, now: now) { lines($0) }
        let server = try await Server(configuration, now: now, log: log)
        say("listening on \(server.url)")
        say("\(server.identity)")
        if let health = server.healthAddress { say("health and metrics on http://\(health)") }
        if configuration.linksNameNoMachine {
            writeError(
                """
                wake-server: warning: links name \(configuration.listen), which is no machine's \
                address; give --authority HOST:PORT

                """
            )
        }
        if server.isWithoutReserve {
            writeError(
                """
                wake-server: warning: the disk of \(configuration.data) has no room for the \
                reserve; on a full disk no device can be revoked: make room, or give --reserve MIB

                """
            )
        }
        let watch = Task {
            for await failure in server.failures {
                continuation.yield(SIGTERM)
                return failure
            }
            throw CancellationError()
        }
        for await signal in signals {
            guard signal == SIGHUP else { break }
            reload(server)
        }
        watch.cancel()
        await server.stop()
        if case .success(let failure) = await watch.result { throw failure }
    }

    private static func reload(_ server: Server) {
        let trust = server.identity.trust
        defer { if server.identity.trust != trust { warnOfNewTrust() } }
        do {
            try server.reload()
            say("reloaded: \(server.identity)")
        } catch {
            complain(error)
            guard error is TLSError else { return }
            writeError("wake-server: the certificate is still the one from before\n")
        }
    }

    private static func warnOfNewTrust() {
        writeError(
            """
            wake-server: warning: what links name has changed; devices that joined before may \
            refuse this server until each joins again with a new link

            """
        )
    }

    private static func invite(
        _ guest: Configuration.Guest,
        in folder: DataFolder,
        authority: String?
    ) async throws {
        let keys = ServerKeys(master: try folder.masterKey(random: Server.randomSecret))
        let store = try await Server.store(in: folder, keys)
        guard let address = try folder.address else {
            throw DataFolderError.noAddress(path: folder.path)
        }
        let link = Link(
            authority: authority ?? address.authority,
            secret: LinkSecret(Replica.randomIdentifier()),
            trust: address.trust
        )
        guard Link(link.description) == link else {
            throw ConfigurationError.plainElsewhere(link.authority)
        }
        let user =
            switch guest {
            case .new: Replica.randomIdentifier()
            case .owner(let space): try await store.owner(of: space)
            }
        let invitation = Invitation(
            token: Digest(of: link.secret.token),
            user: user,
            space: nil,
            wrappedKey: nil,
            expires: UnixTime(milliseconds: now().milliseconds + weekMilliseconds)
        )
        switch guest {
        case .new(let name):
            try await store.addUser(user, name: name, invitation: invitation)
            say("\(link)")
            writeError("for \(name)'s first device, within seven days: wake join LINK\n")
        case .owner:
            try await store.invite(invitation, by: user)
            say("\(link)")
            writeError(
                "for a device that has this space, within seven days: wake join --again LINK\n"
            )
        }
    }

    private static let weekMilliseconds: Int64 = 7 * 24 * 3600 * 1000

    @Sendable static func now() -> UnixTime {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return UnixTime(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }

    static func say(_ line: String) {
        put(line + "\n", to: STDOUT_FILENO)
    }

    @Sendable static func writeError(_ text: String) {
        put(text, to: STDERR_FILENO)
    }

    private static func put(_ text: String, to descriptor: Int32) {
        let bytes = Array(text.utf8)
        _ = unsafe write(descriptor, bytes, bytes.count)
    }

    private static func complain(_ error: any Error) {
        let complaint = Complaint(error)
        writeError("wake-server: error: \(complaint.message)\n")
        if let hint = complaint.hint { writeError("wake-server: hint: \(hint)\n") }
    }

    private static let help = """
        wake-server keeps and relays what devices sign.

        usage:
          wake-server serve --data DIR [--listen HOST:PORT] [--health HOST:PORT|none]
                            [--authority HOST:PORT] [--certificate PEM --key PEM]
                            [--plain] [--proxy ADDRESS] [--reserve MIB]
          wake-server invite NAME|--space SPACE --data DIR [--authority HOST:PORT]
          wake-server backup FILE --data DIR
          wake-server restore FILE|--empty --data DIR
          wake-server doctor --data DIR [--certificate PEM --key PEM] [--json]
                             [--repair]

        serve     answers devices until SIGTERM; listens on 127.0.0.1:8300, and for
                  operators (/healthz, /readyz, /metrics) on the port above it, on this
                  machine and without TLS; SIGHUP reads the certificate again
        invite    prints a link that lets the first device of a new person in, once,
                  within seven days, also while the server runs; with --space a device of
                  the person whose own space that is, when no other can let it in
        backup    copies the store into a new file and verifies it, also while the server
                  runs; the keys are not in it; where the program is killed FILE.draft
                  stays, which the next backup of that name takes, or you remove
        restore   puts a backup in the place of the store, which is kept aside; with
                  --empty an empty store, where there is no backup; devices bring back
                  what is not there
        doctor    tells what is well and what is not, and ends with 1 for the latter;
                  with --repair it mends what can be mended

        options:
          --data DIR             the store, its views, the master key and the TLS key
          --listen HOST:PORT     where devices connect; port 0 takes a free one
          --health HOST:PORT     where operators connect; none for no listener
          --authority HOST:PORT  what devices call this server, when it is not the
                                 address that it listens on
          --certificate PEM      a certificate for TLS, and after it those that vouch
                                 for it
          --key PEM              its key; without both the server makes a key for
                                 itself, which every link names
          --plain                HTTP without TLS, on a loopback address alone
          --proxy ADDRESS        HTTP without TLS for the one proxy with this IP address,
                                 which speaks TLS with a certificate of an authority
          --reserve MIB          room on the disk that is kept for small writes when it
                                 is full, such as revoking a device; 64, 0 for none

        exit codes:
        \(ExitCode.allCases.map { "  \($0.rawValue)  \($0.meaning)" }.joined(separator: "\n"))
        """
}
