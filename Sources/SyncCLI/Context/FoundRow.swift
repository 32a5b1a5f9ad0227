import ProgramKit
import SyncCore

/// A row that a person named by the beginning of its id.
struct FoundRow: Sendable {
    let name: RowName
    /// Its cells, as every reader sees them.
    let state: RowState
    /// Its declaration; nil where only a newer program knows it.
    let schema: CollectionSchema?

    /// The place of one of its fields.
    func key(_ field: Text) -> Key { Key(name.collection, .id(name.id), field) }

    /// What people call it; nil where nobody did.
    var title: String? { schema?.title(in: state.cells) }

    /// The short id and the name, for messages: `3hqdadhm 'Home'`; of a kind without names the id.
    var label: String { schema.label(of: name.id, state.cells) }

    /// What it is: `place`; of an unknown kind, the collection.
    var noun: String { schema?.noun ?? name.collection.string.withoutControls }
}

extension CollectionSchema {
    /// What people call a row with these cells; nil where nobody did.
    func title(in cells: [Text: Cell]) -> String? {
        title.flatMap { cells[$0]?.value.text }.flatMap { $0.isEmpty ? nil : $0.withoutControls }
    }
}

extension CollectionSchema? {
    /// The short id and the name of a row; of a kind without names, or an unknown one, the id.
    func label(of id: Identifier, _ cells: [Text: Cell]) -> String {
        guard let schema = self, schema.title != nil else { return id.short }
        return "\(id.short) '\(schema.title(in: cells) ?? "(no name)")'"
    }
}

extension RowState {
    /// What its fields say, for programs.
    var fields: JSON {
        let fields = cells.filter { !$1.isUnset }.sorted { $0.key < $1.key }
        return .object(fields.map { ($0.key.string, .value($0.value.value)) })
    }
}

extension FoundRow {
    /// The members that commands give a row of any kind.
    var members: [(String, JSON)] {
        [("id", .text(name.id.description)), ("fields", state.fields)]
    }
}

extension Library {
    /// The row of any collection whose id begins with a word, in the trash too.
    func row(_ word: String) async throws -> FoundRow {
        try await row(word, what: "row", list: "wake rows")
    }

    /// The row of one collection whose id begins with a word.
    ///
    /// - Parameter list: the command that lists such rows.
    func row(_ word: String, in schema: CollectionSchema, list: String) async throws -> FoundRow {
        let found = try await row(word, what: schema.noun, list: list)
        guard found.name.collection == schema.name else {
            throw UserError(
                .notFound,
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

    /// So many rows are named where the beginning of an id does not tell them apart.
    private static let namedLimit = 20

    /// A row as it stands; nil where it says nothing.
    func present(_ name: RowName) async throws -> FoundRow? {
        guard let state = try await replica.read({ try $0.rows.state(name, in: space) }) else {
            return nil
        }
        return FoundRow(
            name: name,
            state: state,
            schema: replica.collections[name.collection]
        )
    }

    /// Writes one field of a row, which can be undone; returns the row after it, and whether anything
    /// changed.
    func write(
        _ field: Text,
        _ value: Value,
        to row: FoundRow,
        as words: String,
        at now: UnixTime,
        checksTypes: Bool = true
    ) async throws -> (row: FoundRow, isChanged: Bool) {
        let count = try await replica.write {
            try $0.actions.write(
                [Edit(row.key(field), value)],
                as: words,
                in: space,
                at: now,
                checksTypes: checksTypes
            )
        }
        return (try await present(row.name) ?? row, count > 0)
    }
}
