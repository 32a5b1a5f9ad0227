/// A row as every reader sees it.
public struct RowState: Hashable, Sendable {
    /// The collection and the row; the field is empty.
    public let key: Key
    /// The winning cell of every field.
    public let cells: [Text: Cell]

    /// Whether it lies in the trash.
    public var isDeleted: Bool { cells[FieldSchema.deleted.name]?.value.bool == true }

    /// When it was put into the trash; nil where it does not lie there.
    public var deletion: Stamp? {
        isDeleted ? cells[FieldSchema.deleted.name]?.stamp : nil
    }

    /// What was written after the deletion; it is kept underneath.
    public var changesAfterDeletion: [Change] {
        guard let deletion else { return [] }
        return cells.filter { $1.stamp > deletion }
            .map { Change(key: Key(key.collection, key.row, $0), cell: $1) }
            .sorted { $0.key < $1.key }
    }

    /// Whether it says nothing: undoing the making of a row leaves its fields unset.
    public var isEmpty: Bool { cells.values.allSatisfy(\.isUnset) }
}
