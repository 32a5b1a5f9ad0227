import ProgramKit
import SyncCore

/// How generic commands present the rows of one collection, beyond its schema.
struct RowPresenter: Sendable {
    let schema: CollectionSchema
    /// Returns the JSON members of a row.
    let members: @Sendable (FoundRow, Library) async throws -> [(String, JSON)]
    /// Returns the length or size of a row for a table.
    var size: @Sendable (FoundRow, Library) async throws -> String = { _, _ in "" }
    /// Prepares a report on related rows that deleting or restoring this row changes.
    ///
    /// Called before the change; the result is called after it.
    var consequences: @Sendable (FoundRow, Library) async throws -> Consequences = { _, _ in
        { [] }
    }
    /// Looks up what changes of a space refer to and returns a function that describes each.
    var words: @Sendable ([Change], Library, Identifier, Preferences) async throws -> Words = {
        (_, _, _, _) in { _ in nil }
    }

    /// Returns lines about related rows, called after a change.
    typealias Consequences = @Sendable () async throws -> [String]

    /// Describes a write, or returns nil if the schema's own description suffices.
    typealias Words = @Sendable (Change) -> String?
}

extension Library {
    private func presenter(of row: FoundRow) -> RowPresenter? {
        presenters.first { $0.schema.name == row.name.collection }
    }

    /// Returns the JSON members of a row.
    func members(of row: FoundRow) async throws -> [(String, JSON)] {
        try await presenter(of: row)?.members(row, self) ?? row.members
    }

    /// Returns a row as a JSON object.
    func json(of row: FoundRow) async throws -> JSON {
        .object([(row.name.collection.string, .object(try await members(of: row)))])
    }

    /// Returns the length or size of a row, or an empty string if it has none.
    func size(of row: FoundRow) async throws -> String {
        try await presenter(of: row)?.size(row, self) ?? ""
    }

    /// Prepares a report on related rows before a row is deleted or restored.
    func consequences(of row: FoundRow) async throws -> RowPresenter.Consequences {
        guard let presenter = presenter(of: row) else { return { [] } }
        return try await presenter.consequences(row, self)
    }
}
