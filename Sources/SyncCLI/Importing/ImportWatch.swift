import ProgramKit
import SyncCore

/// Imports the files of a folder, and new ones as they appear, until the user stops it.
struct ImportWatch {
    /// The interval at which an interrupt is checked.
    private static let pauseMilliseconds = 250
    private static let pausesPerLook = 8

    let importer: Importer
    let folder: String

    /// Runs until Ctrl-C or SIGTERM, or until the replica cannot be written.
    ///
    /// In the latter case, files that appear later would be skipped for good. If the folder
    /// vanishes, the watch waits for it.
    func run() async throws -> ExitCode {
        let context = importer.context
        let isOver = context.catchInterrupts()
        guard InputFile.isFolder(folder) else {
            throw UserError.notFound(
                "\(folder) is not a folder",
                hint: "--watch imports what is in a folder, and what is added to it"
            )
        }
        context.output.note("watching \(folder); press Ctrl-C to stop")
        var files = QuietFiles()
        var unreadable: Set<FileError> = []
        while !isOver() {
            let contents = Folder.contents(of: folder)
            for error in contents.unreadable where !unreadable.contains(error) {
                // For example, a folder on a disk that was unmounted.
                context.output.warn("cannot read \(error.path): \(error.reason); retrying")
            }
            unreadable = Set(contents.unreadable)
            let uptime = context.uptimeMilliseconds()
            let quiet = files.look(contents.states, uptime: uptime, now: context.now())
            if let failure = await take(quiet, until: isOver) { return failure.code }
            try await pause(isOver)
        }
        return .success
    }

    /// Imports files; returns the error if the replica failed.
    private func take(_ paths: [String], until isOver: @Sendable () -> Bool) async -> UserError? {
        for path in paths where !isOver() {
            var failure: UserError?
            await importer.take(path, isNamed: false) { result in
                tell(result)
                if result.isOurFault { failure = result.userError }
            }
            if let failure { return failure }
        }
        return nil
    }

    private func pause(_ isOver: @Sendable () -> Bool) async throws {
        for _ in 0..<Self.pausesPerLook where !isOver() {
            try await importer.context.sleep(Self.pauseMilliseconds)
        }
    }

    /// Reports a result unless all its tracks and places exist already, as most do at every start.
    private func tell(_ result: ImportResult) {
        let isKnown =
            result.userError == nil && result.tracks.allSatisfy { !$0.row.isNew }
            && result.places.allSatisfy { !$0.row.isNew }
        guard !result.isPassedOver, !isKnown else { return }
        if importer.context.output.isJSON { importer.context.output.jsonLine(result.json) }
        result.tell(on: importer.context.output)
    }
}
