/// The index from rows to the sets that wrote them. History, conflicts and undo open only those
/// sets.
extension RowHistory {
    /// Records which rows a set wrote.
    ///
    /// Inserts a row that does not exist yet: a held set belongs to the history of its rows, too.
    func indexRows(of changes: [Change], in space: Int64, set: Int64) throws {
        for name in Set(changes.map(\.key.rowName)).sorted() {
            try indexRow(try rows.open(space, name.collection, name.row).number, by: set)
        }
    }

    /// Records that a set wrote a row.
    ///
    /// A server's view skips this: nobody asks it for history.
    func indexRow(_ row: Int64, by set: Int64) throws {
        guard !isView else { return }
        try database.run(
            "INSERT INTO touched (row, sealed) VALUES (\(row), \(set)) ON CONFLICT DO NOTHING"
        )
    }

    /// Reads the sets that wrote a row, in the order in which this database stored them.
    ///
    /// Skips sets that cannot be opened: they are pending.
    func eachSet(
        touching row: Int64,
        in space: Identifier,
        read: (ChangeSet, Statement) throws -> Void
    ) throws {
        let keys = try spaces.keys(of: space)
        try database.each(
            """
            SELECT q.upload, q.body, q.position, q.verdict, coalesce(q.reason, '')
            FROM touched t CROSS JOIN sealed q ON q.number = t.sealed
            WHERE t.row = \(row) AND q.body IS NOT NULL AND q.reissued != 1
            """
        ) { statement in
            let upload = try Upload(parsing: statement.blob(0))
            guard let set = try? ChangeSet(opening: upload, body: statement.blob(1), with: keys)
            else { return }
            try read(set, statement)
        }
    }

    /// Returns the rows of a space that several replicas wrote: only they can hold a conflict.
    func rowsWithSeveralAuthors(in space: Int64) throws -> [(number: Int64, name: Key)] {
        try database.all(
            """
            SELECT r.number, r.collection, r.row FROM (
                SELECT t.row AS row, q.replica AS author
                FROM touched t CROSS JOIN sealed q ON q.number = t.sealed
                WHERE q.space = \(space) AND q.body IS NOT NULL AND q.reissued != 1
                    AND coalesce(q.verdict, 0) = 0
                UNION
                SELECT u.row, n.number
                FROM unsealed u, replica n WHERE n.id = (SELECT replica FROM self)
            ) w CROSS JOIN row r ON r.number = w.row WHERE r.space = \(space)
            GROUP BY r.number HAVING count(DISTINCT w.author) > 1
            """
        ) {
            ($0.integer(0), Key(Text($0.text(1)), try Row(decoding: $0.blob(2)), ""))
        }
    }
}

/// The content of `touched`, loaded once to compare every set with it.
struct TouchedIndex {
    private struct Pair: Hashable {
        let row: Int64
        let set: Int64
    }

    private var rows: [Key: Int64] = [:]
    private var pairs: Set<Pair> = []

    init(of space: Int64, in database: Database) throws {
        try database.each("SELECT number, collection, row FROM row WHERE space = \(space)") { row in
            // A name that cannot be read is told by the check of its cells.
            guard let name = try? Row(decoding: row.blob(2)) else { return }
            rows[Key(Text(row.text(1)), name, "")] = row.integer(0)
        }
        try database.each(
            """
            SELECT t.row, t.sealed FROM touched t CROSS JOIN row r ON r.number = t.row
            WHERE r.space = \(space)
            """
        ) { pairs.insert(Pair(row: $0.integer(0), set: $0.integer(1))) }
    }

    /// Returns whether the index has the set for every row that the set wrote.
    func names(_ set: Int64, at changes: [Change]) -> Bool {
        changes.allSatisfy { change in
            rows[change.key.rowName]
                .map { pairs.contains(Pair(row: $0, set: set)) } ?? false
        }
    }
}

extension RowHistory {
    /// Adds sets that the index lacks and returns their number.
    func repairIndex() throws -> Int {
        guard !isView else { return 0 }
        var repaired = 0
        for space in try spaces.all().map(\.id) {
            let (number, keys) = (try spaces.number(ofSpace: space), try spaces.keys(of: space))
            let index = try TouchedIndex(of: number, in: database)
            var missing: [(set: Int64, changes: [Change])] = []
            try database.each(
                """
                SELECT number, upload, body FROM sealed WHERE space = \(number) AND body IS NOT NULL
                """
            ) { row in
                guard let upload = try? Upload(parsing: row.blob(1)),
                    let set = try? ChangeSet(opening: upload, body: row.blob(2), with: keys),
                    !index.names(row.integer(0), at: set.changes)
                else { return }
                missing.append((row.integer(0), set.changes))
            }
            for (set, changes) in missing { try indexRows(of: changes, in: number, set: set) }
            repaired += missing.count
        }
        return repaired
    }
}
