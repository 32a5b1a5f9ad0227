import ProgramKit
import SyncCore

enum RowsCommand {
    static let command = Command(
        "rows",
        "[COLLECTION]",
        summary: "list the kinds of data, or all rows of one kind",
        details: """
            A newer wake may have kinds of data that this one does not know. They are kept
            and synced as well, and listed here by the names of their fields.
            """
    ) { arguments, context in
        let library = try await context.library()
        guard let name = arguments.optional("COLLECTION") else {
            return try await listKinds(of: library, context.output)
        }
        let counts = try await library.replica.read { try $0.rows.counts(in: library.space) }
        guard
            library.replica.collections[Text(name)] != nil
                || counts.contains(where: { $0.collection == Text(name) })
        else {
            let names = counts.map(\.collection.string)
            throw UserError.notFound(
                "unknown kind of data '\(name)'",
                hint: Spelling.hint(for: name, in: names) ?? "see 'wake rows'"
            )
        }
        return try await listRows(of: Text(name), in: library, context.output)
    }

    private static func listKinds(of library: Library, _ output: Output) async throws -> ExitCode {
        let counts = try await library.replica.read { try $0.rows.counts(in: library.space) }
        let kinds = counts.map { (name: $0, count: $1, schema: library.replica.collections[$0]) }
        let members = kinds.map { kind in
            JSON.object([
                ("collection", .text(kind.name.string)), ("rows", .integer(kind.count)),
                ("isKnown", .bool(kind.schema != nil)),
            ])
        }
        let table = Table(
            columns: [.whole("collection"), .right("rows"), .left("description")],
            rows: kinds.map {
                [
                    $0.name.string, String($0.count),
                    $0.schema?.summary ?? "unknown; a newer wake knows it",
                ]
            }
        )
        output.result(.object([("collections", .array(members))]), table: table)
        return .success
    }

    private static func listRows(
        of collection: Text,
        in library: Library,
        _ output: Output
    ) async throws -> ExitCode {
        let rows = try await library.replica.read {
            try $0.rows.live(collection, in: library.space)
        }
        let changes = rows.map { row in
            row.cells.filter { !$1.isUnset }.sorted { $0.key < $1.key }
                .map { Change(key: Key(collection, row.key.row, $0), cell: $1) }
        }
        let words = try await library.words(for: changes.flatMap(\.self))
        let members = rows.map { row in
            JSON.object([("row", .text(row.key.row.description)), ("fields", row.fields)])
        }
        let table = Table(
            columns: [.whole("row"), .left("fields")],
            rows: zip(rows, changes).map { row, changes in
                [row.key.row.id?.short ?? row.key.row.description, line(of: changes, words)]
            }
        )
        output.result(.object([("rows", .array(members))]), table: table)
        return .success
    }

    private static func line(of changes: [Change], _ words: RowWords) -> String {
        changes.map { "\(words.field($0.key)): \(words.text($0).shortened(to: 40))" }
            .joined(separator: "; ")
    }
}
