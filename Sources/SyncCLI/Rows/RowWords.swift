import ProgramKit
import SyncCore

/// Describes rows and writes of any collection, based on the schemas.
struct RowWords: Sendable {
    private let collections: CollectionRegistry
    private let labels: [Key: String]
    private let special: [RowPresenter.Words]
    /// Rows that this device does not have; the changes may make them.
    private let absent: Set<Key>

    /// Looks up everything that the changes refer to.
    init(
        of changes: [Change],
        in library: Library,
        _ space: Identifier,
        _ preferences: Preferences
    ) async throws {
        let replica = library.replica
        collections = replica.collections
        var special: [RowPresenter.Words] = []
        for presenter in library.presenters {
            special.append(try await presenter.words(changes, library, space, preferences))
        }
        self.special = special
        var (labels, absent): ([Key: String], Set<Key>) = ([:], [])
        let written = Dictionary(grouping: changes, by: \.key.rowName)
        for change in changes {
            let names =
                [Self.home(of: change.key, in: replica.collections)]
                + Self.named(by: change, in: replica.collections)
            for name in names.compactMap(\.self) where labels[name] == nil {
                guard let id = name.row.id else { continue }
                var cells = try await replica.read {
                    try $0.rows.cells(name.collection, name.row, in: space)
                }
                if cells.isEmpty {
                    absent.insert(name)
                    for change in written[name] ?? [] { cells[change.key.field] = change.cell }
                }
                labels[name] = replica.collections[name.collection].label(of: id, cells)
            }
        }
        (self.labels, self.absent) = (labels, absent)
    }

    /// Whether the changes make the row that a key belongs to.
    func isNew(_ key: Key) -> Bool {
        Self.home(of: key, in: collections).map(absent.contains) ?? false
    }

    /// Returns the row that a key belongs to, or nil if the key belongs to no row with an id.
    private static func home(of key: Key, in collections: CollectionRegistry) -> Key? {
        guard key.row.id != nil else { return nil }
        return collections.home(of: key.collection).map { Key($0, key.row, "") }
    }

    /// Returns the rows that a value refers to.
    private static func named(by change: Change, in collections: CollectionRegistry) -> [Key?] {
        guard case .row(let collection)? = collections.field(change.key)?.type,
            let id = change.cell.value.bytes.flatMap({ Identifier(bytes: $0) })
        else { return [] }
        return [Key(collection, .id(id), "")]
    }

    /// Returns the short id and title of a row, or a name of its collection if it has no id.
    func label(_ key: Key) -> String {
        if let home = Self.home(of: key, in: collections), let label = labels[home] { return label }
        return collections[key.collection]?.plural ?? "\(key.collection) \(key.row)"
    }

    /// Returns the label with the noun: `place 3hqdadhm 'Home'`.
    func title(_ key: Key) -> String {
        guard let home = Self.home(of: key, in: collections) else { return label(key) }
        return "\(collections[home.collection]?.noun ?? home.collection.string) \(label(key))"
    }

    /// Returns the field for a table; a field named by an id is shown with the short id.
    func field(_ key: Key) -> String {
        guard let schema = collections.field(key), schema.isFamily else { return key.field.string }
        let rest = key.field.string.dropFirst(schema.name.string.count)
        guard let id = Identifier(String(rest)) else { return key.field.string }
        return schema.name.string + id.short
    }

    /// Describes the value of a write.
    func text(_ change: Change) -> String {
        let value = change.cell.value
        if value == .null { return "(none)" }
        if let words = special.lazy.compactMap({ $0(change) }).first { return words }
        switch (collections.field(change.key)?.type, value) {
        case (.structure(.position), _):
            if let position = Coordinate(value) { return position.words }
        case (.row(let collection), .bytes(let bytes)):
            let name = Identifier(bytes: bytes).map { Key(collection, .id($0), "") }
            if let label = name.flatMap({ labels[$0] }) { return label }
        case (.chunk, _):
            if let words = words(forChunk: change) { return words }
        default: break
        }
        return switch value {
        case .bool(let truth): truth ? "yes" : "no"
        case .text(let text): text.string
        default: JSON.value(value).compact
        }
    }

    private func words(forChunk change: Change) -> String? {
        guard let chunk = ChunkReference(change.cell) else { return nil }
        return switch chunk.kind {
        case .samples: "\(chunk.sampleCount.counted("sample")) of its points"
        case .file: "a piece of its file"
        default: nil
        }
    }

    /// Describes a write in one line: the row, the field and the value.
    func line(_ change: Change) -> String {
        let text = text(change).shortened(to: 60)
        if ChunkReference(change.cell) != nil {
            return "\(title(change.key)): \(text)"
        }
        return "\(title(change.key)): \(field(change.key)) = \(text)"
    }
}

extension Library {
    func words(for changes: [Change]) async throws -> RowWords {
        try await RowWords(of: changes, in: self, space, try await preferences())
    }
}
