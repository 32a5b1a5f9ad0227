import ProgramKit
import SyncCore

/// Rows and writes of any collection in words, as their declarations say.
struct RowWords: Sendable {
    private let collections: CollectionRegistry
    private let labels: [Key: String]
    private let special: [RowPresenter.Words]

    /// Looks up all that some changes of a space name.
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
        var labels: [Key: String] = [:]
        for change in changes {
            let names =
                [Self.home(of: change.key, in: replica.collections)]
                + Self.named(by: change, in: replica.collections)
            for name in names.compactMap(\.self) where labels[name] == nil {
                guard let id = name.row.id else { continue }
                let cells = try await replica.read {
                    try $0.rows.cells(name.collection, name.row, in: space)
                }
                labels[name] = replica.collections[name.collection].label(of: id, cells)
            }
        }
        self.labels = labels
    }

    /// The row that a key's row is, or continues; nil where it is no thing of its own.
    private static func home(of key: Key, in collections: CollectionRegistry) -> Key? {
        guard key.row.id != nil else { return nil }
        return collections.home(of: key.collection).map { Key($0, key.row, "") }
    }

    /// The rows that a value names.
    private static func named(by change: Change, in collections: CollectionRegistry) -> [Key?] {
        guard case .row(let collection)? = collections.field(change.key)?.type,
            let id = change.cell.value.bytes.flatMap({ Identifier(bytes: $0) })
        else { return [] }
        return [Key(collection, .id(id), "")]
    }

    /// The row of a key by its short id and its name; what is no thing of its own by its kind.
    func label(_ key: Key) -> String {
        if let home = Self.home(of: key, in: collections), let label = labels[home] {
            return label
        }
        return collections[key.collection]?.plural ?? "\(key.collection) \(key.row)"
    }

    /// The same with what it is: `place 3hqdadhm 'Home'`.
    func title(_ key: Key) -> String {
        guard let home = Self.home(of: key, in: collections) else { return label(key) }
        return "\(collections[home.collection]?.noun ?? home.collection.string) \(label(key))"
    }

    /// The field for a table: of one that is named by an id, the id's beginning.
    func field(_ key: Key) -> String {
        guard let schema = collections.field(key), schema.isFamily else { return key.field.string }
        let rest = key.field.string.dropFirst(schema.name.string.count)
        guard let id = Identifier(String(rest)) else { return key.field.string }
        return schema.name.string + id.short
    }

    /// What a write said.
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
        return switch collections[change.key.collection]?.chunks {
        case .samples: "\(chunk.sampleCount.counted("sample")) of its points"
        case .files: "a piece of its file"
        case nil: nil
        }
    }

    /// A line about a write, for a list: what it is of, and what it says.
    func line(_ change: Change) -> String {
        let text = text(change).shortened(to: 60)
        if collections[change.key.collection]?.chunks != nil {
            return "\(title(change.key)): \(text)"
        }
        return "\(title(change.key)): \(field(change.key)) = \(text)"
    }
}

extension Library {
    /// The words for some changes.
    func words(for changes: [Change]) async throws -> RowWords {
        try await RowWords(of: changes, in: self, space, try await preferences())
    }
}
