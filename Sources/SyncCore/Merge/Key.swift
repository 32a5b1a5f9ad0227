/// The place of a cell: collection, row and field.
public struct Key: Hashable, Sendable {
    /// The collection, such as `track`.
    public let collection: Text
    /// The row within the collection.
    public let row: Row
    /// The field within the row.
    public let field: Text

    /// Creates the place with these names.
    public init(_ collection: Text, _ row: Row, _ field: Text) {
        (self.collection, self.row, self.field) = (collection, row, field)
    }

    /// The name of the row: its key without a field.
    package var rowName: Key { Key(collection, row, "") }
}

extension Key: Comparable {
    /// Orders by the encoded collection, row and field, which is the order of cells in a body.
    public static func < (left: Key, right: Key) -> Bool {
        (left.collection, left.row, left.field) < (right.collection, right.row, right.field)
    }
}
