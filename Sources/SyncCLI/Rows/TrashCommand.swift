import ProgramKit
import SyncCore

enum TrashCommand {
    static let command = Command(
        "trash",
        summary: "list what was deleted, and edits made since then"
    ) { _, context in
        let library = try await context.library()
        let lines = try await lines(of: library)
        let output = context.output
        try await output.list("rows", lines, none: "the trash is empty", json: \.json) {
            output.table(try await table(of: lines, library))
            output.note("'wake restore ID' restores one")
        }
        return .success
    }

    private static func lines(of library: Library) async throws -> [TrashLine] {
        var lines: [TrashLine] = []
        for state in try await library.replica.read({ try $0.rows.trash(in: library.space) }) {
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
        let all = try await library.replica.read { try $0.rows.ids(in: library.space) }
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
