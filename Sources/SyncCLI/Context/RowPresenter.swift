import ProgramKit
import SyncCore

/// What the generic commands show of the rows of one collection, beyond its declaration.
struct RowPresenter: Sendable {
    /// The collection.
    let schema: CollectionSchema
    /// The members for programs.
    let members: @Sendable (FoundRow, Library) async throws -> [(String, JSON)]
    /// How long or large it is, for a table.
    let size: @Sendable (FoundRow, Library) async throws -> String
    /// Lines about other rows that show something else once this one is deleted or restored; made
    /// before, and called after.
    let consequences: @Sendable (FoundRow, Library) async throws -> Consequences
    /// Looks up what some changes of a space name, and tells what each of them said.
    let words: @Sendable ([Change], Library, Identifier, Preferences) async throws -> Words

    init(
        schema: CollectionSchema,
        members: @escaping @Sendable (FoundRow, Library) async throws -> [(String, JSON)],
        size: @escaping @Sendable (FoundRow, Library) async throws -> String = { _, _ in "" },
        consequences: @escaping @Sendable (FoundRow, Library) async throws -> Consequences = {
            _,
            _ in { [] }
        },
        words:
            @escaping @Sendable ([Change], Library, Identifier, Preferences) async throws ->
            Words = { _, _, _, _ in { _ in nil } }
    ) {
        (self.schema, self.members) = (schema, members)
        (self.size, self.consequences, self.words) = (size, consequences, words)
    }

    /// Lines about other rows, told once something changed.
    typealias Consequences = @Sendable () async throws -> [String]

    /// What a write said; nil where its declaration tells it as well.
    typealias Words = @Sendable (Change) -> String?
}

extension Library {
    private func presenter(of row: FoundRow) -> RowPresenter? {
        presenters.first { $0.schema.name == row.name.collection }
    }

    /// The members that commands give a row.
    func members(of row: FoundRow) async throws -> [(String, JSON)] {
        try await presenter(of: row)?.members(row, self) ?? row.members
    }

    /// A row with no other members.
    func json(of row: FoundRow) async throws -> JSON {
        .object([(row.name.collection.string, .object(try await members(of: row)))])
    }

    /// How long or large a row is; empty where that means nothing.
    func size(of row: FoundRow) async throws -> String {
        try await presenter(of: row)?.size(row, self) ?? ""
    }

    /// What becomes of other rows while one is deleted or restored.
    func consequences(of row: FoundRow) async throws -> RowPresenter.Consequences {
        guard let presenter = presenter(of: row) else { return { [] } }
        return try await presenter.consequences(row, self)
    }
}
