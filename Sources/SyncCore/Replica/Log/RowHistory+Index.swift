/// The index from rows to the sets that wrote them. History, conflicts and undo open only those
/// sets.
///
/// A row has the numbers of its last sets beside its cells, so that a merge writes both at once. A
/// full list moves to a block of the table `history`: a row that is written all the time does not
/// grow.
extension RowHistory {
    /// Records that a set wrote rows.
    ///
    /// Inserts a row that does not exist yet: a held set belongs to the history of its rows, too.
    func indexRows(_ names: some Sequence<Key>, in space: Int64, set: Int64) throws {
        guard !isView else { return }
        for name in names {
            var stored = try rows.open(space, name.collection, name.row)
            try index(&stored, by: [set])
            try rows.saveSets(stored)
        }
    }

    /// Records that sets wrote a row, which the caller saves.
    ///
    /// A server's view skips this: nobody asks it for history.
    func index(_ stored: inout StoredRow, by sets: [Int64]) throws {
        guard !isView, !sets.isEmpty else { return }
        stored.sets.insert(sets)
        guard stored.sets.count > SetNumbers.blockLimit else { return }
        // A new epoch brings sets again that a block has already.
        let known = try blocks(of: stored.number)
        stored.sets.keep { !known.contains($0) }
        guard stored.sets.count > SetNumbers.blockLimit else { return }
        try database.run(
            """
            INSERT INTO history (row, block, sets)
            SELECT \(stored.number), count(*), \(stored.sets.packed) FROM history
            WHERE row = \(stored.number)
            """
        )
        stored.sets = SetNumbers()
    }

    /// Removes a set, which is not kept any longer, from the history of rows.
    func forget(_ set: Int64, at names: [Key], in space: Int64) throws {
        for name in Set(names) {
            guard var stored = try rows.find(space, name.collection, name.row) else { continue }
            stored.sets.remove(set)
            try rows.saveSets(stored)
            let blocks = try database.all(
                "SELECT block, sets FROM history WHERE row = \(stored.number)"
            ) { (number: $0.integer(0), sets: SetNumbers(packed: $0.blob(1))) }
            for block in blocks where block.sets.all.contains(set) {
                var sets = block.sets
                sets.remove(set)
                try database.run(
                    """
                    UPDATE history SET sets = \(sets.packed)
                    WHERE row = \(stored.number) AND block = \(block.number)
                    """
                )
            }
        }
    }

    /// Returns the numbers of all sets that wrote a row, ascending.
    func sets(of row: Int64) throws -> [Int64] {
        let last = try database.first("SELECT sets FROM row WHERE number = \(row)") {
            SetNumbers(packed: $0.blob(0)).all
        }
        return try blocks(of: row).union(last ?? []).sorted()
    }

    /// Returns the numbers in the full blocks of a row.
    private func blocks(of row: Int64) throws -> Set<Int64> {
        let blocks = try database.all("SELECT sets FROM history WHERE row = \(row)") {
            SetNumbers(packed: $0.blob(0)).all
        }
        return Set(blocks.joined())
    }

    /// Reads the sets that wrote a row, in the order in which this database stored them.
    ///
    /// Skips sets that cannot be opened: they are pending.
    func eachSet(
        touching row: Int64,
        in space: Identifier,
        _ opened: OpenedSets = OpenedSets(),
        read: (ChangeSet, Statement) throws -> Void
    ) throws {
        let keys = try spaces.keys(of: space)
        for number in try sets(of: row) {
            try database.each(
                """
                SELECT upload, body, position, verdict, coalesce(reason, ''),
                    EXISTS (SELECT 1 FROM unchecked_time u WHERE u.number = sealed.number)
                FROM sealed
                WHERE number = \(number) AND body IS NOT NULL AND reissued != 1
                """
            ) { statement in
                let set = try opened.set(number) {
                    let upload = try Upload(parsing: statement.blob(0))
                    return try? ChangeSet(opening: upload, body: statement.blob(1), with: keys)
                }
                if let set { try read(set, statement) }
            }
        }
    }

    /// Returns the rows of a space that several replicas wrote: only they can hold a conflict.
    func rowsWithSeveralAuthors(in space: Int64) throws -> [(number: Int64, name: Key)] {
        let authors = try authors(in: space)
        let own = try replicas.known(try identity.loadClock().replica)
        let unsealed = Set(try database.all("SELECT DISTINCT row FROM unsealed") { $0.integer(0) })
        return try SetIndex(of: space, in: database).rows.filter { name, row in
            let writers = Set(row.sets.compactMap { authors[$0] })
            return writers.count > 1
                || unsealed.contains(row.number) && writers.contains { $0 != own }
        }
        .map { (number: $0.value.number, name: $0.key) }
        .sorted { $0.number < $1.number }
    }

    /// Returns the replica numbers of the sets whose changes count.
    private func authors(in space: Int64) throws -> [Int64: Int64] {
        var authors: [Int64: Int64] = [:]
        try database.each(
            """
            SELECT number, replica FROM sealed WHERE space = \(space) AND body IS NOT NULL
                AND reissued != 1 AND coalesce(verdict, 0) = 0
            """
        ) { authors[$0.integer(0)] = $0.integer(1) }
        return authors
    }
}

/// The sets of every row of a space, loaded once to compare every set with them.
struct SetIndex {
    struct IndexedRow {
        let number: Int64
        var sets: Set<Int64>
    }

    private(set) var rows: [Key: IndexedRow] = [:]

    init(of space: Int64, in database: Database) throws {
        var blocks: [Int64: Set<Int64>] = [:]
        try database.each("SELECT row, sets FROM history") { block in
            blocks[block.integer(0), default: []].formUnion(SetNumbers(packed: block.blob(1)).all)
        }
        try database.each(
            "SELECT number, collection, row, sets FROM row WHERE space = \(space)"
        ) { row in
            // `verify` reports an unreadable name with its cells.
            guard let name = try? Row(decoding: row.blob(2)) else { return }
            let sets = Set(SetNumbers(packed: row.blob(3)).all)
            rows[Key(Text(row.text(1)), name, "")] = IndexedRow(
                number: row.integer(0),
                sets: sets.union(blocks[row.integer(0)] ?? [])
            )
        }
    }

    /// Returns whether the index has the set for every row that the set wrote.
    func names(_ set: Int64, at rows: [Key]) -> Bool {
        rows.allSatisfy { self.rows[$0]?.sets.contains(set) ?? false }
    }
}

extension RowHistory {
    /// Adds sets that the index lacks and returns their number.
    func repairIndex() throws -> Int {
        guard !isView else { return 0 }
        var repaired = 0
        for space in try spaces.all().map(\.id) {
            let (number, keys) = (try spaces.number(ofSpace: space), try spaces.keys(of: space))
            let index = try SetIndex(of: number, in: database)
            var missing: [(set: Int64, rows: [Key])] = []
            try database.each(
                """
                SELECT number, upload, body FROM sealed WHERE space = \(number) AND body IS NOT NULL
                """
            ) { row in
                guard let upload = try? Upload(parsing: row.blob(1)),
                    let set = try? ChangeSet(opening: upload, body: row.blob(2), with: keys),
                    !index.names(row.integer(0), at: set.cells.rows)
                else { return }
                missing.append((row.integer(0), set.cells.rows))
            }
            for (set, rows) in missing { try indexRows(rows, in: number, set: set) }
            repaired += missing.count
        }
        return repaired
    }
}
