/// One row of a space, as stored: base and overlay.
struct StoredRow {
    /// The number of the row in this database.
    let number: Int64
    let space: Int64
    let collection: Text
    let row: Row
    /// The merge of the log up to the cursor.
    var base: CellRecord
    /// Cells that the merged log does not have: own changes that it has not returned yet.
    ///
    /// After a new epoch, these are also all cells that the new log still lacks.
    var overlay: CellRecord

    /// The numbers of the last sets that wrote the row; see ``RowHistory``.
    var sets = SetNumbers()

    /// Returns the cell that readers see: the greater of the two.
    func cell(_ field: Text) -> Cell? {
        switch (base[field], overlay[field]) {
        case (let base?, let overlay?): max(base, overlay)
        case (let base, let overlay): base ?? overlay
        }
    }

    /// The winning cell of every field.
    var cells: [Text: Cell] { base.cells.merging(overlay.cells) { max($0, $1) } }

    var isDeleted: Bool { cell(FieldSchema.deleted.name)?.value.bool == true }

    func key(_ field: Text) -> Key { Key(collection, row, field) }
}

extension [Text: Cell] {
    /// Merges a change of the row: the greater cell stays.
    mutating func merge(_ change: Change) {
        self[change.key.field, default: change.cell].merge(change.cell)
    }
}
