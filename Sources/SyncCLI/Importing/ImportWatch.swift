import ProgramKit
import SyncCore

/// Takes in what lies in a folder, and what comes into it, until a person ends it.
struct ImportWatch {
    /// How often a person's wish to end is looked for.
    private static let pauseMilliseconds = 250
    private static let pausesPerLook = 8

    let importer: Importer
    let folder: String

    /// Goes on until Ctrl-C or SIGTERM, or until the replica cannot be written, for what comes then
    /// would be passed over for good; a folder that goes away meanwhile is waited for.
    func run() async throws -> ExitCode {
        let context = importer.context
        let isOver = context.catchInterrupts()
        guard InputFile.isFolder(folder) else {
            throw UserError(
                .notFound,
                "there is no folder \(folder)",
                hint: "--watch takes a folder, and what comes into it"
            )
        }
        context.output.note("watching \(folder); press Ctrl-C to stop")
        var files = QuietFiles()
        var unreadable: Set<FileError> = []
        while !isOver() {
            let contents = Folder.contents(of: folder)
            for error in contents.unreadable where !unreadable.contains(error) {
                // Such as a folder of a disk that was taken away.
                context.output.warn("cannot read \(error.path): \(error.reason); retrying")
            }
            unreadable = Set(contents.unreadable)
            let uptime = context.uptimeMilliseconds()
            let quiet = files.look(contents.states, uptime: uptime, now: context.now())
            if let trouble = await take(quiet, until: isOver) { return trouble.code }
            try await pause(isOver)
        }
        return .success
    }

    /// Takes files in; returns what is wrong where that is not with a file.
    private func take(_ paths: [String], until isOver: @Sendable () -> Bool) async -> UserError? {
        for path in paths where !isOver() {
            var trouble: UserError?
            await importer.take(path, isNamed: false) { result in
                tell(result)
                if result.isOurFault { trouble = result.userError }
            }
            if let trouble { return trouble }
        }
        return nil
    }

    private func pause(_ isOver: @Sendable () -> Bool) async throws {
        for _ in 0..<Self.pausesPerLook where !isOver() {
            try await importer.context.sleep(Self.pauseMilliseconds)
        }
    }

    /// What was here before is told by a person's own import, and here at every start.
    private func tell(_ result: ImportResult) {
        let isKnown =
            result.userError == nil && result.tracks.allSatisfy { !$0.row.isNew }
            && result.places.allSatisfy { !$0.row.isNew }
        guard !result.isPassedOver, !isKnown else { return }
        if importer.context.output.isJSON { importer.context.output.jsonLine(result.json) }
        result.tell(on: importer.context.output)
    }
}
