import ProgramKit
import SyncCore

extension Commands {
    static let trash = Command(
        "trash",
        summary: "list what was deleted, and what was edited after the deletion"
    ) { _, context in
        let library = try await context.library()
        let lines = try await trashLines(of: library)
        let output = context.output
        if output.isJSON {
            output.json(.object([("rows", .array(lines.map(\.json)))]))
        } else if lines.isEmpty {
            output.note("the trash is empty")
        } else {
            output.table(try await table(of: lines, library))
            output.note("'wake restore ID' takes one back")
        }
        return .success
    }

    static let restore = Command(
        "restore",
        "ID",
        summary: "take a track, a place or another row out of the trash"
    ) { arguments, context in
        let library = try await context.library()
        let row = try await library.row(arguments.required("ID"))
        return try await restore(row, in: library, context)
    }

    /// Takes a row out of the trash, and tells what comes back with it.
    static func restore(
        _ row: FoundRow,
        in library: Library,
        _ context: Context
    ) async throws -> ExitCode {
        let consequences = try await library.consequences(of: row)
        var after = row
        if row.state.isDeleted {
            after = try await library.write(
                FieldSchema.deleted.name,
                .null,
                to: row,
                as: "restoring of \(row.label)",
                at: context.now()
            ).row
        }
        let lines = try await consequences()
        let json = try await library.json(of: after)
        context.output.result(json) {
            (row.state.isDeleted
                ? "took \(after.label) out of the trash\n"
                : "\(after.label) is not in the trash\n") + lines.map { "  \($0)\n" }.joined()
        }
        return .success
    }

    /// Moves a row to the trash, and tells what goes with it.
    static func delete(
        _ row: FoundRow,
        in library: Library,
        _ context: Context
    ) async throws -> ExitCode {
        let consequences = try await library.consequences(of: row)
        let (after, isChanged) = try await library.write(
            FieldSchema.deleted.name,
            .bool(true),
            to: row,
            as: "deletion of \(row.label)",
            at: context.now()
        )
        let lines = isChanged ? try await consequences() : []
        let json = try await library.json(of: after)
        context.output.result(json) {
            isChanged
                ? "moved \(after.label) to the trash; 'wake restore \(after.name.id.short)' "
                    + "takes it back\n" + lines.map { "  \($0)\n" }.joined()
                : "\(after.label) was in the trash already\n"
        }
        return .success
    }

    private static func trashLines(of library: Library) async throws -> [TrashLine] {
        var lines: [TrashLine] = []
        for state in try await library.replica.trash(in: library.space) {
            guard let id = state.key.row.id else { continue }
            let row = FoundRow(
                name: RowName(collection: state.key.collection, id: id),
                state: state,
                schema: library.replica.collections[state.key.collection]
            )
            lines.append(
                TrashLine(
                    row: row,
                    size: try await library.size(of: row),
                    members: try await library.members(of: row)
                )
            )
        }
        return lines
    }

    private static func table(of lines: [TrashLine], _ library: Library) async throws -> Table {
        let words = try await library.words(for: lines.flatMap(\.laterChanges))
        let preferences = try await library.preferences()
        let all = try await library.replica.rowIDs(in: library.space)
        let ids = IDPrefix.short(lines.map(\.row.name.id), among: all)
        return Table(
            columns: [
                .whole("id"), .whole("deleted (UTC)"), .left("kind").ifThereIsRoom, .left("name"),
                .right("distance").ifThereIsRoom, .left("edited since"),
            ],
            rows: zip(ids, lines).map { id, line in
                [
                    id, preferences.time(line.row.state.deletion?.wall), line.row.noun,
                    line.row.title ?? "(no name)", line.size,
                    line.laterChanges.map { "\(words.field($0.key)): \(words.text($0))" }
                        .joined(separator: "; "),
                ]
            }
        )
    }
}

/// A row in the trash.
private struct TrashLine {
    let row: FoundRow
    let size: String
    let members: [(String, JSON)]

    var laterChanges: [Change] { row.state.changesAfterDeletion }

    var json: JSON {
        .object(
            [("collection", .text(row.name.collection.string))]
                + members + [
                    ("deleted", .time(row.state.deletion?.wall)),
                    ("editedSince", .array(laterChanges.map { .text($0.key.field.string) })),
                ]
        )
    }
}
