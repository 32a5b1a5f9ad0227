import ProgramKit
import SyncCore

/// All checks of `doctor`.
struct Examination: Sendable {
    let library: Library
    let context: Context
    let identity: DeviceIdentity
    let status: ReplicaStatus
    let preferences: Preferences
    /// Whether the replica was salvaged and no sync has restored the lost data yet.
    let isBareSalvage: Bool

    init(of library: Library, _ context: Context) async throws {
        self.library = library
        self.context = context
        identity = try await library.replica.read { try $0.identity.current() }
        status = try await library.replica.read { try $0.maintenance.status() }
        preferences = try await library.preferences()
        let isSalvaged = try await library.replica.read { try $0.events.last(.salvaged) } != nil
        isBareSalvage = isSalvaged && identity.lastSync == nil
    }

    private var replica: Replica { library.replica }

    /// Runs all checks; waits for the network.
    func checks() async throws -> [Check] {
        var checks = [try await file, try await guardFile]
        checks += try await contents
        checks += [declined, try await recordings, lastSync]
        let (server, offset) = try await askServer()
        checks += [server, clock(offset)]
        checks += [try await backup, disk]
        return checks
    }
}

/// Checks of the files.
extension Examination {
    private var file: Check {
        get async throws {
            let faults = try await replica.read { try $0.maintenance.integrityFaults() }
            let pageFault = try await replica.read { try $0.maintenance.pageFault() }
            if faults.isEmpty, let pageFault {
                return .trouble(
                    "file",
                    pageFault,
                    "'wake doctor --repair' rewrites these pages as they are"
                )
            }
            if faults.isEmpty, try await !replica.read({ $0.maintenance.hasChecksums }) {
                return .warning(
                    "file",
                    "its pages have no checksums, because another program made it",
                    "'wake doctor --salvage FOLDER' makes a new one"
                )
            }
            guard let first = faults.first else {
                return .ok(
                    "file",
                    "intact, \(Self.size(try await replica.read { try $0.maintenance.byteCount() }))"
                )
            }
            return .trouble(
                "file",
                "damaged: \(first)\(faults.count > 1 ? ", and more" : "")",
                "'wake doctor --salvage FOLDER' recovers the readable data into a new folder"
            )
        }
    }

    private var guardFile: Check {
        get async throws {
            switch try await replica.read({ try $0.maintenance.guardState() }) {
            case .together: .ok("guard", "replica.db.seals matches the file")
            case .missing:
                .warning("guard", "replica.db.seals is missing", "the next sync creates it again")
            case .behind:
                .warning(
                    "guard",
                    "the file was restored from a copy",
                    "the next sync gives it a new replica id and fetches what the server has"
                )
            case .ahead:
                .warning(
                    "guard",
                    "replica.db.seals is older than the file",
                    "keep both together when you copy or restore them"
                )
            }
        }
    }

    private var disk: Check {
        do {
            let free = try Disk.freeByteCount(of: library.folder)
            let finding = "\(Self.size(free)) free"
            return free < 64 << 20
                ? .trouble("disk", finding, "free disk space: recording needs it")
                : free < 1 << 30
                    ? .warning("disk", finding, "free disk space") : .ok("disk", finding)
        } catch {
            return .warning("disk", UserError(describing: error).message)
        }
    }

    /// Returns a size as text: `0.2 MiB`, `12 MiB`, `1.4 GiB`.
    static func size(_ byteCount: Int64) -> String {
        let mebibytes = Double(byteCount) / Double(1 << 20)
        guard mebibytes < 1024 else { return "\((mebibytes / 1024).fixed(1)) GiB" }
        return "\(mebibytes.fixed(mebibytes < 10 ? 1 : 0)) MiB"
    }
}

/// Checks of the contents.
extension Examination {
    private var contents: [Check] {
        get async throws {
            let found = try await replica.read { try $0.maintenance.verify() }
            return [sets(found), trust(found), tracks(found), chunks(found)]
        }
    }

    private func sets(_ found: Verification) -> Check {
        let counts = "\(found.sets.counted("change set")), \(found.cells.counted("cell"))"
        if let first = found.setFaults.first {
            let rest = found.setFaults.count - 1
            return .trouble(
                "sets",
                "\(first)\(rest > 0 ? ", and \(rest) more" : "")",
                "'wake verify' lists all faults; " + wayBackOfSets
            )
        }
        if status.mismatches > 0 {
            return .trouble(
                "sets",
                "mismatch with the server in \(status.mismatches.counted("space"))",
                "'wake sync' finds the difference and repairs it"
            )
        }
        return .ok("sets", "\(counts): all chains, MACs and fingerprints are correct")
    }

    private func trust(_ found: Verification) -> Check {
        guard let first = found.breaches.first else {
            return .ok("trust", "no lie of the server was detected")
        }
        let rest = found.breaches.count - 1
        return .trouble(
            "trust",
            "\(first)\(rest > 0 ? ", and \(rest) more" : "")",
            "ask the server's operator; then 'wake verify --acknowledge' ends these reports"
        )
    }

    /// The hint for damaged sets; salvaging a salvaged replica again would not help.
    private var wayBackOfSets: String {
        switch (isBareSalvage, identity.authority) {
        case (true, nil): "run 'wake join LINK', then 'wake sync': the server sends the lost data"
        case (true, _): "run 'wake sync': the server sends the lost data"
        case (false, _):
            "'wake doctor --salvage FOLDER' creates a new replica from the intact ones; the server "
                + "sends the rest"
        }
    }

    private func tracks(_ found: Verification) -> Check {
        guard let first = found.trackFaults.first else {
            return .ok("tracks", "\(found.tracks.counted("track")): the list matches the cells")
        }
        let rest = found.trackFaults.count - 1
        return .trouble(
            "tracks",
            "\(first)\(rest > 0 ? ", and \(rest) more" : "")",
            "'wake doctor --repair' rebuilds the list"
        )
    }

    private func chunks(_ found: Verification) -> Check {
        if let first = found.chunkFaults.first {
            let rest = found.chunkFaults.count - 1
            return .trouble(
                "chunks",
                "\(first)\(rest > 0 ? ", and \(rest) more" : "")",
                "after 'wake doctor --repair', the next sync fetches it again"
            )
        }
        if let first = found.lostFaults.first {
            let rest = found.lostFaults.count - 1
            return .trouble(
                "chunks",
                "\(first)\(rest > 0 ? ", and \(rest) more" : "")",
                SyncReport.wayBackOfChunks
            )
        }
        guard found.missingChunks > 0 else {
            return .ok("chunks", "\(found.chunks.counted("chunk")): all hashes are correct")
        }
        return .warning(
            "chunks",
            "\(found.missingChunks.counted("chunk")) not received yet",
            "'wake sync' fetches them once the device that recorded them has sent them"
        )
    }
}

/// Checks of what needs the user's attention.
extension Examination {
    private var declined: Check {
        let counts = [
            (status.refused, "refused"), (status.held, "held"),
            (status.pending, "not readable yet"),
        ]
        let parts = counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        guard !parts.isEmpty else {
            return .ok("declined", "no refused, held or unreadable change sets")
        }
        return .warning(
            "declined",
            parts.joined(separator: ", "),
            "'wake refused' lists them; 'wake refused --help' explains what you can do"
        )
    }

    private var recordings: Check {
        get async throws {
            let ids = try await replica.read {
                try $0.recordings.unfinishedTracks(in: library.space)
            }
            guard let id = ids.first, let track = try await library.stored(id) else {
                return .ok("recordings", "no unfinished recording")
            }
            if RecorderLock.isTaken(in: library.folder) {
                return .ok("recordings", "\(track.label) is being recorded")
            }
            let more = ids.count > 1 ? ", and \(ids.count - 1) more" : ""
            return .warning(
                "recordings",
                "\(track.label) was interrupted\(more)",
                "'wake record --resume' continues the latest; 'wake sync' sends what was recorded"
            )
        }
    }

    private var lastSync: Check {
        if let trouble = identity.trouble {
            return .trouble(
                "last sync",
                SyncReport.words(for: trouble),
                SyncReport.hint(for: trouble)
            )
        }
        guard identity.authority != nil else { return .ok("last sync", "no server joined") }
        guard let time = identity.lastSync else {
            return .warning("last sync", "never", "run 'wake sync'")
        }
        let age = context.now().milliseconds - time.milliseconds
        let ago = Elapsed.ago(milliseconds: age)
        guard !status.isSent, age > Self.longMilliseconds else { return .ok("last sync", ago) }
        return .warning("last sync", "\(ago), with unsent changes", "run 'wake sync'")
    }

    /// Unsent changes and missing backups are reported after a week.
    private static let longMilliseconds: Int64 = 7 * 86_400_000

    private var backup: Check {
        get async throws {
            guard identity.authority != nil else {
                return .ok("backup", "no server joined: this folder is the only copy")
            }
            let backups = try await replica.read { try $0.maintenance.backups() }
            let missing = backups.reduce(0) { $0 + $1.missing }
            guard let oldest = backups.compactMap(\.time).min() else {
                return .warning(
                    "backup",
                    "the server reported no verified backup",
                    "'wake-server backup FILE' makes one; until then, devices keep everything they sent"
                )
            }
            let age = context.now().milliseconds(since: oldest) ?? .max
            let finding =
                "the last verified backup is from \(preferences.time(oldest)) UTC"
                + (missing > 0 ? ", without \(missing.counted("change set")) of this device" : "")
            return missing > 0 && age > Self.longMilliseconds
                ? .warning("backup", finding, "'wake-server backup FILE' makes one")
                : .ok("backup", finding)
        }
    }
}

/// Checks of the server and the clock.
extension Examination {
    /// Checks that the right server answers, and returns the clock offset in milliseconds.
    private func askServer() async throws -> (Check, offset: Int64?) {
        let known = identity.anchor?.offsetMilliseconds(at: context.moment())
        guard let authority = identity.authority else {
            return (.ok("server", "no server joined"), known)
        }
        let client = try await library.client(context)
        do {
            _ = try await client.sync(SyncRequest(spaces: []))
            let spaces = try await client.get("/v1/spaces", as: SpaceList.self).spaces
            let offset = await client.anchor?.offsetMilliseconds(at: context.moment())
            return (
                compare(
                    try await replica.read { try $0.spaces.all() },
                    with: spaces,
                    at: authority
                ), offset
            )
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            return (Self.unreachable(SyncFailure(error), authority), known)
        }
    }

    private static func unreachable(_ failure: SyncFailure, _ authority: String) -> Check {
        let userError: UserError
        switch failure {
        case .unreachable(let error):
            userError = UserError(describing: error)
            return .warning(
                "server",
                userError.message,
                "local data was checked without the server; your changes are safe"
            )
        case .busy(let refusal):
            userError = UserError(describing: refusal)
            return .warning("server", userError.message, userError.hint)
        case .untrusted(let error): userError = UserError(describing: error)
        case .refused(let refusal): userError = UserError(describing: refusal)
        case .local(let fault):
            userError = SyncReport.userError(about: fault)
        }
        return .trouble("server", userError.message, userError.hint)
    }

    private func compare(
        _ spaces: [SpaceSummary],
        with records: [SpaceRecord],
        at authority: String
    ) -> Check {
        let heads = Dictionary(records.map { ($0.id, $0.head) }) { $1 }
        var waiting: UInt64 = 0
        for space in spaces where space.merged.epoch != .zero {
            guard let head = heads[space.id.description] else {
                return .trouble(
                    "server",
                    "\(authority) has no space \(space.id.short), or you are not a member of it",
                    "ask the operator of the server; this device keeps everything"
                )
            }
            guard head >= space.merged.position else {
                return .trouble(
                    "server",
                    "the log at \(authority) ends at \(head), but this device merged it up to "
                        + "\(space.merged.position): the server was restored from a backup",
                    "'wake sync' sends back what the server lacks"
                )
            }
            waiting += head - space.merged.position
        }
        let entries = Int(clamping: waiting).counted("entry", "entries")
        let news = waiting == 0 ? "nothing new" : "\(entries) to fetch"
        return .ok("server", "\(authority) answers and is the server that was joined; \(news)")
    }

    private func clock(_ offset: Int64?) -> Check {
        guard let offset else {
            return .ok("clock", "not compared with a server since the machine started")
        }
        let clock = ClockOffset(milliseconds: offset)
        return clock.isRight
            ? .ok("clock", clock.words)
            : .warning("clock", clock.words, "set the clock; sent changes are corrected anyway")
    }
}
