import ProgramKit
import SyncCore

/// Salvages the replica in the data folder into a new folder.
enum ReplicaSalvage {
    static func run(into folder: String, _ context: Context) async throws -> ExitCode {
        let damaged = Library.path(in: try context.dataFolder())
        let path = Library.path(in: folder)
        guard OutputFile.isTaken(damaged) else {
            throw UserError.notFound("no replica in \(try context.dataFolder())")
        }
        guard !OutputFile.isTaken(path) else {
            throw UserError.attention(
                "\(folder) already contains a replica",
                hint: "choose a new folder"
            )
        }
        try Folder.make(folder)
        let salvage = try await salvage(damaged, to: path, context)
        context.output.result(salvage.json(folder)) { salvage.text(folder) }
        context.output.note(
            salvage.isSameDevice
                ? "'wake sync --data \(folder)' fetches what the server has; keep the damaged folder "
                    + "until then"
                : "its keys are lost, so this is a new device: 'wake join LINK --data \(folder)' "
                    + "joins the server with the recovered data"
        )
        return .success
    }

    private static func salvage(
        _ damaged: String,
        to path: String,
        _ context: Context
    ) async throws -> Salvage {
        var random = context.random
        do {
            return try await Replica.salvage(
                from: damaged,
                to: path,
                at: context.now(),
                using: &random
            )
        } catch ReplicaError.missing {
            throw UserError.failure(
                "\(damaged) contains nothing of a replica that can be read",
                hint: "'wake init' and 'wake join LINK' fetch again what was sent"
            )
        }
    }
}

extension Salvage {
    fileprivate func json(_ folder: String) -> JSON {
        .object([
            ("folder", .text(folder)),
            ("isSameDevice", .bool(isSameDevice)),
            ("sets", .integer(sets)),
            ("unsealed", .integer(unsealed)),
            ("chunks", .integer(chunks)),
            ("samples", .integer(samples)),
            ("damaged", .integer(damaged)),
            ("pages", .integer(pages)),
            ("unreadablePages", .integer(unreadablePages)),
        ])
    }

    fileprivate func text(_ folder: String) -> String {
        let saved = [
            sets.counted("change set"), unsealed.counted("field") + " not sealed yet",
            chunks.counted("chunk"),
            samples.counted("sample") + " of unfinished recordings",
        ]
        let lost = [
            (
                damaged,
                "damaged and not recovered: \(damaged.counted("set, chunk or run", "sets, chunks or runs"))"
            ),
            (
                unreadablePages,
                "unreadable or only partly readable: \(unreadablePages) of \(pages.counted("page"))"
            ),
        ]
        return
            (["recovered into \(folder): \(saved.joined(separator: ", "))"]
            + lost.filter { $0.0 > 0 }.map(\.1)).map { $0 + "\n" }.joined()
    }
}
