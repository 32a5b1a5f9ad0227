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
            guard let first = faults.first else {
                return .ok(
                    "file",
                    "sound, \(Self.size(try await replica.read { try $0.maintenance.byteCount() }))"
                )
            }
            return .trouble(
                "file",
                "damaged: \(first)\(faults.count > 1 ? ", and more" : "")",
                "'wake doctor --salvage FOLDER' saves what can be read into a new folder"
            )
        }
    }

    private var guardFile: Check {
        get async throws {
            switch try await replica.read({ try $0.maintenance.guardState() }) {
            case .together: .ok("guard", "belongs to the file")
            case .missing:
                .warning("guard", "replica.db.seals is missing", "the next sync makes it anew")
            case .behind:
                .warning(
                    "guard",
                    "the file was put back from a copy",
                    "the next sync takes another name for it, and nothing is lost"
                )
            case .ahead:
                .warning(
                    "guard",
                    "replica.db.seals is of an older state than the file",
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
                ? .trouble("disk", finding, "make room: nothing can be recorded without")
                : free < 1 << 30 ? .warning("disk", finding, "make room") : .ok("disk", finding)
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
            return [sets(found), tracks(found), chunks(found)]
        }
    }

    private func sets(_ found: Verification) -> Check {
        let counts = "\(found.sets.counted("set")), \(found.cells.counted("cell"))"
        if let first = found.setFaults.first {
            let rest = found.setFaults.count - 1
            return .trouble(
                "sets",
                "\(first)\(rest > 0 ? ", and \(rest) more" : "")",
                "'wake verify' lists all; " + wayBackOfSets
            )
        }
        if status.mismatches > 0 {
            return .trouble(
                "sets",
                "\(status.mismatches.counted("space")) differ from the server's",
                "'wake sync' looks for the difference and mends it"
            )
        }
        return .ok("sets", "\(counts): every chain, tag and fingerprint is right")
    }

    /// The hint for damaged sets; salvaging a salvaged replica again would not help.
    private var wayBackOfSets: String {
        switch (isBareSalvage, identity.authority) {
        case (true, nil): "'wake join LINK', then 'wake sync': the server brings what was lost"
        case (true, _): "'wake sync': the server brings what was lost"
        case (false, _):
            "'wake doctor --salvage FOLDER' makes a new replica of the sound ones, and the server "
                + "brings the rest"
        }
    }

    private func tracks(_ found: Verification) -> Check {
        guard let first = found.trackFaults.first else {
            return .ok("tracks", "\(found.tracks.counted("line")) of the list as the cells say")
        }
        let rest = found.trackFaults.count - 1
        return .trouble(
            "tracks",
            "\(first)\(rest > 0 ? ", and \(rest) more" : "")",
            "'wake doctor --repair' makes the list anew"
        )
    }

    private func chunks(_ found: Verification) -> Check {
        if let first = found.chunkFaults.first {
            let rest = found.chunkFaults.count - 1
            return .trouble(
                "chunks",
                "\(first)\(rest > 0 ? ", and \(rest) more" : "")",
                "'wake doctor --repair' has the next sync fetch it again"
            )
        }
        guard found.missingChunks > 0 else {
            return .ok("chunks", "\(found.chunks.counted("chunk")), every hash is right")
        }
        return .warning(
            "chunks",
            "\(found.missingChunks.counted("chunk")) did not arrive yet",
            "'wake sync' fetches them, once the device that recorded them has sent them"
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
            return .ok("declined", "nothing refused, nothing held, all readable")
        }
        return .warning(
            "declined",
            parts.joined(separator: ", "),
            "'wake refused' shows what, and what can be done"
        )
    }

    private var recordings: Check {
        get async throws {
            let ids = try await replica.read {
                try $0.recordings.unfinishedTracks(in: library.space)
            }
            guard let id = ids.first, let track = try await library.stored(id) else {
                return .ok("recordings", "none left open")
            }
            if RecorderLock.isTaken(in: library.folder) {
                return .ok("recordings", "\(track.label) is going on")
            }
            let more = ids.count > 1 ? ", and \(ids.count - 1) more" : ""
            return .warning(
                "recordings",
                "\(track.label) was interrupted\(more)",
                "'wake record --resume' goes on with the last, 'wake sync' packs what is there"
            )
        }
    }

    private var lastSync: Check {
        if let trouble = identity.trouble {
            return .trouble("last sync", SyncReport.words(for: trouble), "'wake sync' tries again")
        }
        guard identity.authority != nil else { return .ok("last sync", "no server was joined") }
        guard let time = identity.lastSync else {
            return .warning("last sync", "never", "'wake sync' does it")
        }
        let age = context.now().milliseconds - time.milliseconds
        let ago = Elapsed.ago(milliseconds: age)
        guard !status.isSent, age > Self.longMilliseconds else { return .ok("last sync", ago) }
        return .warning("last sync", "\(ago), and something waits to be sent", "'wake sync'")
    }

    /// Unsent changes and missing backups are reported after a week.
    private static let longMilliseconds: Int64 = 7 * 86_400_000

    private var backup: Check {
        get async throws {
            guard identity.authority != nil else {
                return .ok("backup", "no server was joined: this folder is the only copy")
            }
            let backups = try await replica.read { try $0.maintenance.backups() }
            let missing = backups.reduce(0) { $0 + $1.missing }
            guard let oldest = backups.compactMap(\.time).min() else {
                return .warning(
                    "backup",
                    "the server told of no verified backup",
                    "'wake-server backup FILE' makes one; until then devices keep all they sent"
                )
            }
            let age = context.now().milliseconds(since: oldest) ?? .max
            let finding =
                "the last verified one is of \(preferences.time(oldest)) UTC"
                + (missing > 0 ? ", without \(missing.counted("own set"))" : "")
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
            return (.ok("server", "none was joined"), known)
        }
        let client = try await library.client(context)
        do {
            _ = try await client.sync(SyncRequest(spaces: []))
            let spaces = try await client.spaces()
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
                "what is here was checked without it; what was written is safe"
            )
        case .busy(let refusal):
            userError = UserError(describing: refusal)
            return .warning("server", userError.message, userError.hint)
        case .untrusted(let error): userError = UserError(describing: error)
        case .refused(let refusal): userError = UserError(describing: refusal)
        case .local(let fault):
            return .trouble("server", "\(authority) could not be asked: \(fault)")
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
                    "\(authority) knows no space \(space.id.short), or this person is no member",
                    "ask who runs the server; everything is kept here"
                )
            }
            guard head >= space.merged.position else {
                return .trouble(
                    "server",
                    "the log at \(authority) ends at \(head), and \(space.merged.position) was "
                        + "merged here: it was put back from a backup",
                    "'wake sync' gives back what it lacks"
                )
            }
            waiting += head - space.merged.position
        }
        let entries = Int(clamping: waiting).counted("entry", "entries")
        let news = waiting == 0 ? "nothing is new there" : "\(entries) to fetch"
        return .ok("server", "\(authority) answers and is the one that was joined; \(news)")
    }

    private func clock(_ offset: Int64?) -> Check {
        guard let offset else {
            return .ok("clock", "not compared with a server since the machine started")
        }
        let clock = ClockOffset(milliseconds: offset)
        return clock.isRight
            ? .ok("clock", clock.words)
            : .warning("clock", clock.words, "set it; what is sent is corrected anyway")
    }
}
