internal import ProgramKit
internal import SyncCore

enum BackupCommand {
    static let command = Command(
        "backup",
        "FILE",
        summary: "copy the store into a new file and verify it",
        details: """
            The server may keep running. The backup contains no keys: keep master.key and
            tls.key as well, in another place. If the program is killed, FILE.draft remains.
            The next backup of the same name replaces it, or you can delete it.
            """
    ) { arguments, context in
        let file = arguments.required("FILE")
        guard !file.isEmpty else { throw UsageError.missing("FILE", command: "backup") }
        let folder = try DataFolder(existing: context.dataFolder())
        let progress = StepProgress(context)
        let keys = ServerKeys(master: try folder.presentMasterKey())
        var backup = Backup(folder: folder, keys: keys, file: file, now: context.now())
        backup.begin = progress.begin
        backup.observe = progress.update
        backup.warn = context.output.warn
        let made = try await Draft.removing(backup.draft, context.output) { [backup] in
            defer { progress.end() }
            return try await backup()
        }
        tell(made, file, context.output)
        return .success
    }

    private static func tell(_ made: Backup.Made, _ file: String, _ output: Output) {
        output.result(json(of: made, file)) { text(of: made, file) }
        let lacking = made.inspection.lackingChunks.count
        if lacking > 0 {
            output.warn(
                "the store lacks \(lacking.counted("chunk")) that the log names; the server asks devices "
                    + "for them"
            )
        }
        if !made.damagedPages.isEmpty {
            output.warn(
                "checksum mismatch in \(made.damagedPages.words) of the store, copied unchanged; see "
                    + "'wake-server doctor'"
            )
        }
        output.hint(
            "the backup contains no keys: keep master.key, tls.key and revocations as well, in another place"
        )
    }

    private static func text(of made: Backup.Made, _ file: String) -> String {
        let manifest = made.manifest
        let spaces = manifest.spaces.map {
            "space \($0.space) up to position \($0.head), chain hash \($0.chain)"
        }
        let lines =
            [
                "wrote and verified backup \(file) of \(manifest.time.iso8601)",
                "epoch \(manifest.epoch)",
            ]
            + spaces + [made.inspection.chunkCount.counted("chunk")]
        return lines.map { $0 + "\n" }.joined()
    }

    private static func json(of made: Backup.Made, _ file: String) -> JSON {
        let spaces = made.manifest.spaces.map { space in
            JSON.object([
                ("space", .text("\(space.space)")), ("head", .integer(space.head)),
                ("chain", .text("\(space.chain)")),
            ])
        }
        return .object([
            ("file", .text(file)), ("time", .text(made.manifest.time.iso8601)),
            ("epoch", .text("\(made.manifest.epoch)")), ("spaces", .array(spaces)),
            ("chunks", .integer(made.inspection.chunkCount)),
            ("lackingChunks", .integer(made.inspection.lackingChunks.count)),
        ])
    }
}
