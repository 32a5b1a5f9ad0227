import ProgramKit
import SyncCore

/// A row that was found by a prefix of its id.
struct FoundRow: Sendable {
    let name: RowName
    /// The row's merged state.
    let state: RowState
    /// The collection's schema, or nil if this version does not know it.
    let schema: CollectionSchema?

    func key(_ field: Text) -> Key { Key(name.collection, .id(name.id), field) }

    /// The row's title without control characters, or nil if it has none.
    var title: String? { schema?.title(in: state.cells) }

    /// The short id and the title for messages, such as `3hqdadhm 'Home'`.
    ///
    /// Only the id if rows of the collection have no title.
    var label: String { schema.label(of: name.id, state.cells) }

    /// The noun for the row, such as `place`, or the collection's name if its schema is unknown.
    var noun: String { schema?.noun ?? name.collection.string.withoutControls }
}

extension CollectionSchema {
    /// Returns the title in a row's cells, without control characters, or nil if it is empty.
    func title(in cells: [Text: Cell]) -> String? {
        title.flatMap { cells[$0]?.value.text }.flatMap { $0.isEmpty ? nil : $0.withoutControls }
    }
}

extension CollectionSchema? {
    /// Returns the short id and the title of a row; only the id if such rows have no title.
    func label(of id: Identifier, _ cells: [Text: Cell]) -> String {
        guard let schema = self, schema.title != nil else { return id.short }
        return "\(id.short) '\(schema.title(in: cells) ?? "(no name)")'"
    }
}

extension RowState {
    /// The fields that are set, as JSON.
    var fields: JSON {
        let fields = cells.filter { !$1.isUnset }.sorted { $0.key < $1.key }
        return .object(fields.map { ($0.key.string, .value($0.value.value)) })
    }
}

extension FoundRow {
    /// The JSON members of a row of any collection.
    var members: [(String, JSON)] {
        [("id", .text(name.id.description)), ("fields", state.fields)]
    }
}

extension Library {
    /// Returns the row of any collection whose id begins with `word`, including rows in the trash.
    func row(_ word: String) async throws -> FoundRow {
        try await row(word, what: "row", list: "wake rows")
    }

    /// Returns the row of one collection whose id begins with `word`.
    ///
    /// - Parameter list: the command that lists such rows.
    func row(_ word: String, in schema: CollectionSchema, list: String) async throws -> FoundRow {
        let found = try await row(word, what: schema.noun, list: list)
        guard found.name.collection == schema.name else {
            throw UserError.notFound(
                "\(found.label) is a \(found.noun), not a \(schema.noun)",
                hint: "see '\(list)'"
            )
        }
        return found
    }

    private func row(_ word: String, what: String, list: String) async throws -> FoundRow {
        let prefix = try IDPrefix(word)
        var rows: [FoundRow] = []
        for name in try await names(beginning: prefix) {
            if let row = try await present(name) { rows.append(row) }
        }
        let kinds = Set(rows.map(\.noun))
        return try prefix.pick(
            from: rows,
            what: what,
            plural: kinds.count == 1 ? rows.first?.schema?.plural ?? "rows" : "rows",
            list: list,
            id: \.name.id,
            name: \.title
        )
    }

    private func names(beginning prefix: IDPrefix) async throws -> [RowName] {
        guard let ids = prefix.ids else { return [] }
        return try await replica.read {
            try $0.rows.names(named: ids, limit: Self.namedLimit, in: space)
        }
    }

    /// The maximum number of rows listed if a prefix is ambiguous.
    private static let namedLimit = 20

    /// Returns the current state of a row, or nil if the row does not exist.
    func present(_ name: RowName) async throws -> FoundRow? {
        guard let state = try await replica.read({ try $0.rows.state(name, in: space) }) else {
            return nil
        }
        return FoundRow(name: name, state: state, schema: replica.collections[name.collection])
    }

    /// Writes one field of a row as an action that can be undone.
    ///
    /// Returns the row as it is afterwards, and whether anything changed.
    func write(
        _ field: Text,
        _ value: Value,
        to row: FoundRow,
        as words: String,
        at now: Moment,
        checksTypes: Bool = true
    ) async throws -> (row: FoundRow, isChanged: Bool) {
        let count = try await perform(
            [Edit(row.key(field), value)],
            as: words,
            at: now,
            checksTypes: checksTypes
        )
        return (try await present(row.name) ?? row, count > 0)
    }
}
