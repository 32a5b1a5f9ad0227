internal import Dispatch
internal import Glibc
internal import SyncCore

extension WakeServer {
    /// Makes a backup, and removes what there is of it where a signal ends the program.
    static func backUp(_ folder: DataFolder, to file: String) async throws {
        let progress = Progress(isShown: isatty(STDERR_FILENO) == 1, write: writeError)
        let keys = ServerKeys(master: try folder.presentMasterKey())
        var backup = Backup(folder: folder, keys: keys, file: file, now: now())
        backup.begin = progress.begin
        backup.observe = progress.update
        let made = try await removing(backup.draft) { [backup] in
            defer { progress.end() }
            return try await backup()
        }
        let (manifest, inspection) = (made.manifest, made.inspection)
        say("backup \(file), verified, of \(manifest.time.iso8601)")
        say("epoch \(manifest.epoch)")
        for space in manifest.spaces {
            say("space \(space.space) up to position \(space.head), link \(space.chain)")
        }
        say(inspection.chunkCount.counted("chunk"))
        if !inspection.lackingChunks.isEmpty {
            let lacking = inspection.lackingChunks.count.counted("chunk")
            writeError(
                """
                wake-server: warning: the log names \(lacking) not there; devices that have them \
                are asked for them

                """
            )
        }
        writeError(
            """
            wake-server: hint: the keys are not in it: keep master.key and tls.key too, and apart \
            from it

            """
        )
    }

    /// Puts a backup, or an empty store, in the store's place.
    static func restore(_ file: String?, into folder: DataFolder) async throws {
        let lock = try folder.lock(willListen: false)
        defer { withExtendedLifetime(lock) {} }
        let progress = Progress(isShown: isatty(STDERR_FILENO) == 1, write: writeError)
        var restore = Restore(
            folder: folder,
            keys: ServerKeys(master: try folder.presentMasterKey()),
            newEpoch: Replica.randomIdentifier(),
            now: now()
        )
        restore.begin = progress.begin
        restore.observe = progress.update
        let done = try await removing(restore.draft) { [restore] in
            defer { progress.end() }
            return try file.map { try restore(from: $0) } ?? restore.empty()
        }
        tell(done, file, restore)
    }

    private static func tell(_ done: Restore.Done, _ file: String?, _ restore: Restore) {
        let store = restore.folder.store
        if let file {
            let spaces = done.spaces.count.counted("space")
            let entries = done.spaces.reduce(0) { $0 + $1.head }.counted("entry", "entries")
            let time = done.time.map { "of \($0.iso8601)" } ?? "which has no time"
            say("restored \(store) from \(file), \(time)")
            say("\(spaces), \(entries), verified")
        } else {
            say("made \(store) empty")
        }
        say("epoch \(restore.newEpoch), a new one")
        if let aside = done.aside { say("the store that was here is kept as \(aside)") }
        say("start 'wake-server serve' again: devices bring back, as they sync, what is not there")
    }

    /// Runs `body`; a signal that ends the program removes the draft first.
    private static func removing<Value>(
        _ draft: String,
        _ body: () async throws -> Value
    ) async throws -> Value {
        let sources = [SIGTERM, SIGINT, SIGHUP].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler {
                DraftFile.remove(draft)
                writeError("\nwake-server: error: interrupted\n")
                _exit(ExitCode.failure.rawValue)
            }
            source.resume()
            return source
        }
        defer { for source in sources { source.cancel() } }
        return try await body()
    }
}

extension WakeServer {
    /// Tells what is well and what is not; ends with 1 for the latter.
    static func examine(_ configuration: Configuration.Doctor) async throws {
        let progress = Progress(isShown: isatty(STDERR_FILENO) == 1, write: writeError)
        var doctor = Doctor(
            path: configuration.data,
            now: now(),
            describe: {
                let complaint = Complaint($0)
                return (complaint.message, complaint.hint)
            }
        )
        doctor.repairs = configuration.repairs
        if let certificate = configuration.certificate, let key = configuration.key {
            doctor.given = (certificate, key)
        }
        doctor.observe = progress.update
        progress.begin(.verifying)
        let checks = await doctor()
        progress.end()
        let diagnosis = Diagnosis(checks)
        if configuration.isJSON {
            say(String(decoding: JSON.encode(diagnosis), as: UTF8.self))
        } else {
            for check in checks { say("\(check)") }
        }
        if !diagnosis.isWell { exit(ExitCode.failure.rawValue) }
    }
}
