import ProgramKit
import SyncCore

enum DoctorCommand {
    static let command = Command(
        "doctor",
        summary: "check the replica, the server and this machine",
        options: [
            Option("--repair", "rebuild lists, and fetch damaged points again"),
            Option("--salvage FOLDER", "recover a damaged replica into a new folder"),
        ],
        details: """
            Prints one line for each check: ok, warning or trouble, and what to do. It works
            without a network. Without --repair it restores only damaged records that it has
            to read, and rebuilds the indexes if a page is damaged. --salvage only reads the
            damaged replica. The exit code is 1 if there is trouble.
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
        if try await library.replica.rewriteDamagedPages() {
            checks.append(.ok("repair", "all pages of the database written anew"))
        }
        if repaired.lost > 0 {
            checks.append(
                .warning(
                    "repair",
                    "\(repaired.lost.counted("damaged chunk")) set aside: no server has a copy"
                )
            )
        }
        return checks.isEmpty ? [.ok("repair", "nothing to repair")] : checks
    }
}
