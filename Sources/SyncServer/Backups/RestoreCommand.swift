internal import ProgramKit
internal import SyncCore

enum RestoreCommand {
    static let command = Command(
        "restore",
        "[FILE]",
        summary: "replace the store with a backup; the old store is kept",
        options: [Option("--empty", "create an empty store, if there is no backup")],
        details: """
            At their next sync, devices send again what the new store lacks.
            """
    ) { arguments, context in
        let file = try file(arguments)
        let folder = try DataFolder(withKeyAt: context.dataFolder())
        let lock = try folder.lock(willListen: false)
        defer { withExtendedLifetime(lock) {} }
        let progress = StepProgress(context)
        var restore = Restore(
            folder: folder,
            keys: ServerKeys(master: try folder.presentMasterKey()),
            newEpoch: Replica.randomIdentifier(),
            now: context.now()
        )
        restore.begin = progress.begin
        restore.observe = progress.update
        let done = try await Draft.removing(restore.draft, context.output) { [restore] in
            defer { progress.end() }
            return try file.map { try restore(from: $0) } ?? restore.empty()
        }
        let report = RestoreReport(done: done, file: file, restore: restore)
        context.output.result(report.json) { report.text }
        if !done.correctedPages.isEmpty {
            context.output.warn(
                "a flipped bit in \(done.correctedPages.words) of the backup was corrected; check the disk "
                    + "that has the backup"
            )
        }
        if !done.damagedPages.isEmpty {
            context.output.warn(
                "checksum mismatch in \(done.damagedPages.words) of the backup, restored unchanged; see "
                    + "'wake-server doctor'"
            )
        }
        if try !folder.hasRevocations {
            context.output.warn(
                "\(folder.revocationsFile) is missing, so revoked devices can connect again: copy it there "
                    + "before you start the server"
            )
        }
        return .success
    }

    /// Returns the path of the backup, or nil for an empty store.
    static func file(_ arguments: Arguments) throws -> String? {
        let file = arguments.optional("FILE")
        if arguments.flag("--empty") {
            guard file == nil else { throw ConfigurationError.notTogether("FILE", "--empty") }
            return nil
        }
        guard let file, !file.isEmpty else {
            throw UsageError.missing("FILE", command: command.name)
        }
        return file
    }
}

private struct RestoreReport {
    let done: Restore.Done
    let file: String?
    let restore: Restore

    private var entryCount: UInt64 { done.spaces.reduce(0) { $0 + $1.head } }

    var text: String {
        let store = restore.folder.store
        var lines: [String] = []
        if let file {
            let spaces = done.spaces.count.counted("space")
            let time = done.time.map { "of \($0.iso8601)" } ?? "of an unknown time"
            lines.append("restored \(store) from \(file), \(time)")
            lines.append("\(spaces), \(entryCount.counted("entry", "entries")), verified")
        } else {
            lines.append("created an empty store \(store)")
        }
        lines.append("new epoch \(restore.newEpoch)")
        if let aside = done.aside {
            lines.append("the old store is kept as \(aside)")
        }
        lines.append(
            "start 'wake-server serve' again: as devices sync, they send what the store lacks"
        )
        return lines.map { $0 + "\n" }.joined()
    }

    var json: JSON {
        .object([
            ("store", .text(restore.folder.store)), ("file", .text(file)),
            ("time", .text(done.time?.iso8601)), ("spaces", .integer(done.spaces.count)),
            ("entries", .integer(entryCount)), ("epoch", .text("\(restore.newEpoch)")),
            ("aside", .text(done.aside)),
        ])
    }
}
