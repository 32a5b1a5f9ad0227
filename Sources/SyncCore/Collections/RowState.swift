/// A merged row as readers see it.
public struct RowState: Hashable, Sendable {
    /// The collection and the row; its field is empty.
    public let key: Key
    /// The winning cell of each field.
    public let cells: [Text: Cell]

    /// Whether the row is in the trash.
    public var isDeleted: Bool { cells[FieldSchema.deleted.name]?.value.bool == true }

    /// The stamp of its deletion, or nil if the row is not in the trash.
    public var deletion: Stamp? { isDeleted ? cells[FieldSchema.deleted.name]?.stamp : nil }

    /// The changes written after the deletion, which the row keeps.
    public var changesAfterDeletion: [Change] {
        guard let deletion else { return [] }
        return cells.filter { $1.stamp > deletion }
            .map { Change(key: Key(key.collection, key.row, $0), cell: $1) }
            .sorted { $0.key < $1.key }
    }

    /// Whether every cell but that of the maker is unset, as after undoing the creation of the row.
    public var isEmpty: Bool { cells.allSatisfy { $0 == FieldSchema.made.name || $1.isUnset } }
}
