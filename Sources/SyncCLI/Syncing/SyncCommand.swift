import ProgramKit
import SyncCore

enum SyncCommand {
    static let command = Command(
        "sync",
        summary: "send local changes and fetch new ones",
        options: [Option("--watch", "keep syncing whenever something is new, until Ctrl-C")],
        details: """
            The exit code is 4 if something needs attention, 5 if the server cannot be
            reached (all changes are queued and safe), and 6 if it refuses this device.
            """
    ) { arguments, context in
        let library = try await context.library()
        let client = try await library.client(context)
        try await packInterrupted(in: library, context)
        guard arguments.flag("--watch") else {
            let report = try await exchange(library, client, context)
            return tell(report, context)
        }
        return try await SyncWatch(library: library, client: client, context: context).run()
    }

    /// Packs recordings whose recorder is gone, so that they are sent, too.
    private static func packInterrupted(in library: Library, _ context: Context) async throws {
        try await RecorderLock.packing(in: library.folder) {
            _ = try await library.replica.write {
                try $0.recordings.packInterrupted(at: context.moment())
            }
        }
    }

    /// Syncs once for another command, and warns of problems.
    static func exchange(_ library: Library, _ context: Context) async throws -> SyncReport {
        let report = try await exchange(library, try await library.client(context), context)
        for problem in report.result.problems {
            context.output.warn(SyncReport.words(for: problem))
        }
        return report
    }

    /// Syncs once, with a status line on a terminal, and reports what was transferred.
    static func exchange(
        _ library: Library,
        _ client: ServerClient,
        _ context: Context
    ) async throws -> SyncReport {
        let line = SyncLine(context)
        let events = Set(try await library.replica.read { try $0.events.latest() })
        let known = Set(try await library.replica.read { try $0.breaches.open() })
        let enroller = try await library.enroller(context)
        let result = try await synchronizer(library.replica, client, enroller, line, context).sync()
        line.end()
        for event in try await library.replica.read({ try $0.events.latest() }).reversed()
        where [.renamed, .repaired, .ended].contains(event.kind) && !events.contains(event) {
            context.output.note(event.words)
        }
        return SyncReport(
            result: result,
            collections: library.replica.collections.all,
            authority: try await library.server().authority,
            breaches: try await library.replica.read { try $0.breaches.open() }
                .filter { !known.contains($0) },
            strangers: result.revived == nil
                ? []
                : try await library.replica.read { try $0.controls.strangers(in: $0.spaces.own()) },
            lostChunks: try await library.replica.read { try $0.maintenance.status() }.lostChunks
        )
    }

    private static func synchronizer(
        _ replica: Replica,
        _ client: ServerClient,
        _ enroller: Enroller,
        _ line: SyncLine,
        _ context: Context
    ) -> Synchronizer {
        let random = context.random
        return Synchronizer(
            replica: replica,
            client: client,
            enroller: enroller,
            now: { context.moment() },
            sleep: context.sleep,
            jitter: {
                var random = random
                return Double.random(in: 0...1, using: &random)
            },
            progress: line.show
        )
    }

    private static func tell(_ report: SyncReport, _ context: Context) -> ExitCode {
        context.output.result(report.json) { report.text }
        for problem in report.result.problems {
            context.output.warn(SyncReport.words(for: problem))
        }
        if let userError = report.userError { context.output.report(userError) }
        return report.code
    }
}
