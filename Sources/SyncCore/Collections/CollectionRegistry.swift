/// The kinds of data that a program knows.
///
/// Rows of others are kept, relayed and shown all the same.
public struct CollectionRegistry: Sendable {
    /// In the order in which people read them.
    public let all: [CollectionSchema]
    private let byName: [Text: CollectionSchema]

    /// A registry of these, whose names differ.
    package init(_ all: [CollectionSchema]) {
        self.all = all
        byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })
    }

    /// The declaration of a collection; nil for one that a newer program wrote.
    public subscript(name: Text) -> CollectionSchema? { byName[name] }

    /// The schema of the field at a key; nil where a newer program wrote it.
    public func field(_ key: Key) -> FieldSchema? { self[key.collection]?.field(key.field) }

    /// Whether a person may have chosen the value at a key: true for an unknown field.
    public func isEdited(_ key: Key) -> Bool {
        self[key.collection]?.isEdited(key.field) ?? true
    }

    /// The collections that feed a projection.
    func collections(feeding projection: CollectionSchema.Projection) -> [CollectionSchema] {
        all.filter { $0.projection == projection }
    }

    /// The collection in which a row is a thing of its own: itself, or the one that it continues.
    ///
    /// Nil for a row that is no such thing. A row of an unknown collection is one.
    public func home(of collection: Text) -> Text? {
        switch self[collection]?.rows {
        case .own, nil: collection
        case .continuing(let other): other
        case .scopes, .devices: nil
        }
    }
}
