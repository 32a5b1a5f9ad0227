internal import ProgramKit
internal import SyncCore

enum BackupCommand {
    static let command = Command(
        "backup",
        "FILE",
        summary: "copy the store into a new file and verify it",
        details: """
            This works while the server runs, too. The keys are not in it. Where the program
            is killed FILE.draft stays, which the next backup of that name takes, or you
            remove.
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
                "the log names \(lacking.counted("chunk")) not there; devices that have them are asked "
                    + "for them"
            )
        }
        output.hint(
            "the keys are not in it: keep master.key and tls.key too, and apart from it"
        )
    }

    private static func text(of made: Backup.Made, _ file: String) -> String {
        let manifest = made.manifest
        let spaces = manifest.spaces.map {
            "space \($0.space) up to position \($0.head), link \($0.chain)"
        }
        let lines =
            ["backup \(file), verified, of \(manifest.time.iso8601)", "epoch \(manifest.epoch)"]
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
