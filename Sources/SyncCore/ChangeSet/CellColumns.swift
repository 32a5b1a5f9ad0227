/// The cells of a body, ascending by row and field, as slices of the decoded bytes.
///
/// A merge reads the cells here, without a ``Change`` for each.
package struct CellColumns: Sendable {
    /// A cell of a row and field, which are indices of ``CellColumns/rows`` and
    /// ``CellColumns/fields``.
    package struct Place: Sendable {
        package let row: Int32
        package let field: Int32
        package let time: UInt64
        /// The value's bytes in ``CellColumns/bytes``.
        package let value: Range<Int32>
    }

    /// The rows, ascending; each has a cell, and the fields of the keys are empty.
    package let rows: [Key]
    /// The fields, ascending; each has a cell.
    package let fields: [Text]
    /// The replica that wrote all cells.
    package let replica: Identifier
    /// The cells, ascending by row and field.
    package let places: [Place]
    /// The decoded body.
    package let bytes: [UInt8]

    package var count: Int { places.count }

    /// The greatest stamp time.
    package var greatestTime: UInt64 { places.lazy.map(\.time).max() ?? 0 }

    /// The ranges in ``places`` of each row's cells, by the index of the row.
    package var placesOfRows: [(row: Int, places: Range<Int>)] {
        var (ranges, start): ([(row: Int, places: Range<Int>)], Int) = ([], 0)
        for index in places.indices.dropFirst() where places[index].row != places[start].row {
            ranges.append((ranges.count, start..<index))
            start = index
        }
        if !places.isEmpty { ranges.append((ranges.count, start..<places.count)) }
        return ranges
    }

    package func value(of place: Place) -> ArraySlice<UInt8> {
        bytes[Int(place.value.lowerBound)..<Int(place.value.upperBound)]
    }

    /// The cells as changes, ascending by key.
    package var changes: [Change] { places.map(change) }

    /// The cells of one row as changes, ascending by field; the field of the name is ignored.
    package func changes(ofRow name: Key) -> [Change] {
        let name = name.rowName
        let row = rows.partitioningIndex { $0 >= name }
        guard row < rows.endIndex, rows[row] == name else { return [] }
        let start = places.partitioningIndex { $0.row >= row }
        return places[start...].prefix { $0.row == row }.map(change)
    }

    private func change(_ place: Place) -> Change {
        let row = rows[Int(place.row)]
        return Change(
            key: Key(row.collection, row.row, fields[Int(place.field)]),
            cell: Cell(
                stamp: Stamp(time: place.time, replica: replica),
                encoded: Array(value(of: place))
            )
        )
    }

    /// The chunks that the cells name, in the order of the cells, each once.
    package var chunks: [ChunkName] {
        Body.chunks(places.compactMap { ChunkReference(encoded: value(of: $0)) })
    }
}
