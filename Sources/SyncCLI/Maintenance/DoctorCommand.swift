import ProgramKit
import SyncCore

enum DoctorCommand {
    static let command = Command(
        "doctor",
        summary: "look for trouble in the replica, at the server and on this machine",
        options: [
            Option("--repair", "make lists anew, and fetch damaged points again"),
            Option(
                "--salvage FOLDER",
                "save what can be read of a damaged replica, in a new folder"
            ),
        ],
        details: """
            One line a check: ok, warning or trouble, and what to do. It works without a network,
            and changes nothing but with --repair. --salvage only reads the damaged replica.
            Exit code 1 when there is trouble.
            """
    ) { arguments, context in
        if let folder = arguments.option("--salvage") {
            return try await ReplicaSalvage.run(into: folder, context)
        }
        let library: Library
        do {
            library = try await context.library()
        } catch let userError as UserError where userError.code == .failure {
            return show([.trouble("file", userError.message, userError.hint)], [], context)
        }
        let repairs = arguments.flag("--repair") ? try await repair(library, context) : []
        let checks = try await Examination(of: library, context).checks()
        let events = try await library.replica.read { try $0.events.latest(limit: 10) }
        return show(repairs + checks, events, context)
    }

    private static func show(
        _ checks: [Check],
        _ events: [ReplicaEvent],
        _ context: Context
    ) -> ExitCode {
        let output = context.output
        if output.isJSON {
            output.json(
                .object([
                    ("checks", .array(checks.map(\.json))),
                    ("events", .array(events.map(\.json))),
                ])
            )
        } else {
            output.checks(checks)
            for event in events {
                let time = CalendarTime(event.time).short()
                output.line("\(time) UTC  \(event.words.withoutControls)")
            }
        }
        return checks.contains { $0.state == .trouble } ? .failure : .success
    }

    private static func repair(_ library: Library, _ context: Context) async throws -> [Check] {
        let repaired = try await library.replica.write { try $0.repairs.repair(at: context.now()) }
        var checks: [Check] = []
        if let words = repaired.words { checks.append(.ok("repair", words)) }
        if repaired.kept > 0 {
            checks.append(
                .warning(
                    "repair",
                    "\(repaired.kept.counted("damaged chunk")) left as it is, for no server has it",
                    "another copy of the replica may have it whole"
                )
            )
        }
        return checks.isEmpty ? [.ok("repair", "there was nothing to repair")] : checks
    }
}
