extension PageMerger {
    /// Merges the cells of the collected sets, row by row: each row is read and written once.
    func mergeCells(of merge: inout LogMerge) throws {
        var clock = try identity.loadClock()
        let greatest = merge.sets.map(\.cells.greatestTime).max() ?? 0
        clock.observe(greatest)
        merge.greatest = max(merge.greatest, greatest)
        var digest = CellDigest()
        let rows = merge.rows
        var start = rows.startIndex
        while start < rows.endIndex {
            let name = rows[start].name
            let end = rows[start...].firstIndex { $0.name != name } ?? rows.endIndex
            try mergeRow(rows[start..<end], &merge, &digest)
            start = end
        }
        try identity.saveClock(clock)
    }

    /// Merges the cells that several sets wrote to one row.
    private func mergeRow(
        _ writes: ArraySlice<LogMerge.RowWrites>,
        _ merge: inout LogMerge,
        _ digest: inout CellDigest
    ) throws {
        guard let name = writes.first?.name else { return }
        var stored = try rows.open(merge.number, name.collection, name.row)
        let earlier = stored.base
        for write in writes {
            let cells = merge.sets[write.set].cells.cells(at: write.places)
            stored.base.merge(ascending: cells)
            stored.overlay.remove(upTo: cells)
            for (field, cell) in cells {
                try chunks.wantNamed(by: cell.value, at: stored.key(field), in: merge.number)
            }
        }
        // One digest for the winner of all sets, and one for the cell that it replaces.
        merge.fingerprint.replace(earlier, by: stored.base, of: name, &digest)
        try history.index(&stored, by: writes.compactMap { merge.sets[$0.set].number })
        try rows.save(stored)
    }
}

extension Fingerprint {
    /// Replaces the cells of a row.
    mutating func replace(
        _ earlier: CellRecord,
        by present: CellRecord,
        of row: Key,
        _ digest: inout CellDigest
    ) {
        digest.begin(row)
        present.compare(with: earlier) { field, earlier, present in
            if let earlier { subtract(digest(field, earlier.stamp, earlier.value)) }
            if let present { add(digest(field, present.stamp, present.value)) }
        }
    }
}

extension CellColumns {
    /// The cells at some places, ascending by field if these are of one row.
    func cells(
        at places: Range<Int>
    ) -> some Sequence<(field: Text, cell: CellRecord.View)> {
        self.places[places].lazy.map { place in
            (
                field: fields[Int(place.field)],
                cell: CellRecord.View(
                    stamp: Stamp(time: place.time, replica: replica),
                    value: value(of: place)
                )
            )
        }
    }
}

extension LogMerge {
    /// The cells that one set wrote to one row.
    struct RowWrites {
        let name: Key
        /// The index of the set.
        let set: Int
        let places: Range<Int>
    }

    /// The rows that the collected sets wrote, in the order of their names.
    fileprivate var rows: [RowWrites] {
        sets.enumerated()
            .flatMap { index, set in
                set.cells.placesOfRows.map { row, places in
                    RowWrites(name: set.cells.rows[row], set: index, places: places)
                }
            }
            .sorted { $0.name < $1.name }
    }
}
