/// One row of a space as the database holds it: what the server's log says, and what lies over it.
struct StoredRow {
    /// The number of the row in this database.
    let number: Int64
    let space: Int64
    let collection: Text
    let row: Row
    /// The merge of the log up to the cursor.
    var base: CellRecord
    /// What is not in the log that was merged: own changes that did not come back in it yet, and,
    /// while a lost log is taken anew, everyone's that it lacks.
    var overlay: CellRecord

    /// What a reader sees: the greater cell of the two.
    func cell(_ field: Text) -> Cell? {
        switch (base.cells[field], overlay.cells[field]) {
        case (let base?, let overlay?): max(base, overlay)
        case (let base, let overlay): base ?? overlay
        }
    }

    /// Every field's winning cell.
    var cells: [Text: Cell] {
        base.cells.merging(overlay.cells) { max($0, $1) }
    }

    /// Whether the row lies in the trash.
    var isDeleted: Bool { cell(FieldSchema.deleted.name)?.value.bool == true }

    /// The place of one of its fields.
    func key(_ field: Text) -> Key {
        Key(collection, row, field)
    }
}
