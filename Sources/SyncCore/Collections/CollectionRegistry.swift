/// The collections that a program knows.
///
/// Rows of other collections are kept, synced and shown unchanged.
public struct CollectionRegistry: Sendable {
    /// The collections in display order.
    public let all: [CollectionSchema]
    private let byName: [Text: CollectionSchema]

    /// Creates a registry of collections with distinct names.
    package init(_ all: [CollectionSchema]) {
        self.all = all
        byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })
    }

    /// Returns the schema of a collection, or nil if this version does not know it.
    public subscript(name: Text) -> CollectionSchema? { byName[name] }

    /// Returns the schema of the field at a key, or nil if this version does not know it.
    public func field(_ key: Key) -> FieldSchema? { self[key.collection]?.field(key.field) }

    /// Whether a person may have chosen the value at a key; true for unknown fields.
    public func isEdited(_ key: Key) -> Bool { self[key.collection]?.isEdited(key.field) ?? true }

    func collections(feeding projection: CollectionSchema.Projection) -> [CollectionSchema] {
        all.filter { $0.projection == projection }
    }

    /// Returns the collection in which a row stands on its own: this one, or the one it continues.
    ///
    /// Returns nil if rows of the collection never stand on their own. Rows of unknown collections
    /// do.
    public func home(of collection: Text) -> Text? {
        switch self[collection]?.rows {
        case .own, nil: collection
        case .continuing(let other): other
        case .scopes, .devices: nil
        }
    }
}
