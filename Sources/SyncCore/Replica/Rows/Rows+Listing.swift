extension Rows {
    /// Corrects wrong trash flags and returns the number of rows.
    func repairTrash() throws -> Int {
        let rows = try database.all("SELECT number, deleted FROM row") {
            (number: $0.integer(0), isListed: $0.integer(1) == 1)
        }
        var repaired = 0
        for row in rows {
            guard let stored = try? find(numbered: row.number),
                stored.isDeleted != row.isListed
            else { continue }
            try save(stored)
            repaired += 1
        }
        return repaired
    }

    /// Returns the winning cell of every field of a row; empty if the row was never written.
    public func cells(_ collection: Text, _ row: Row, in space: Identifier) throws -> [Text: Cell] {
        try find(try spaces.number(ofSpace: space), collection, row)?.cells ?? [:]
    }

    /// Returns the rows of a collection with their winning cells, in row order.
    public func list(
        _ collection: Text,
        in space: Identifier
    ) throws -> [(row: Row, cells: [Text: Cell])] {
        try all(try spaces.number(ofSpace: space), collection).map { ($0.row, $0.cells) }
    }
}

/// The name of a row that is a thing of its own.
public struct RowName: Hashable, Sendable {
    /// The home collection.
    public let collection: Text
    /// The row's id.
    public let id: Identifier

    /// Creates a row name.
    public init(collection: Text, id: Identifier) { (self.collection, self.id) = (collection, id) }
}

extension Rows {
    /// Returns the rows of a collection that have values and are not in the trash, in row order.
    public func live(_ collection: Text, in space: Identifier) throws -> [RowState] {
        try all(try spaces.number(ofSpace: space), collection)
            .map { RowState(key: $0.key(""), cells: $0.cells) }
            .filter { !$0.isDeleted && !$0.isEmpty }
    }

    /// Returns a row's state, or nil if no collection has cells for its id.
    public func state(_ name: RowName, in space: Identifier) throws -> RowState? {
        let number = try spaces.number(ofSpace: space)
        let stored = try find(number, name.collection, .id(name.id))
        let key = Key(name.collection, .id(name.id), "")
        let state = RowState(key: key, cells: stored?.cells ?? [:])
        if !state.isEmpty { return state }
        // A recording's samples may arrive before its track row.
        let isContinued = try collections.all.contains {
            guard $0.rows == .continuing(name.collection) else { return false }
            return try find(number, $0.name, .id(name.id))?.cells.isEmpty == false
        }
        return isContinued ? state : nil
    }

    /// Returns the rows in the trash of all collections, the latest deletion first.
    public func trash(in space: Identifier) throws -> [RowState] {
        let rows = try database.all(
            "SELECT number FROM row WHERE space = \(spaces.number(ofSpace: space)) AND deleted = 1"
        ) { $0.integer(0) }
        return try rows.compactMap { try find(numbered: $0) }
            .filter { collections.home(of: $0.collection) == $0.collection }
            .map { RowState(key: $0.key(""), cells: $0.cells) }
            .sorted { ($1.deletion?.time ?? 0, $0.key) < ($0.deletion?.time ?? 0, $1.key) }
    }

    /// Returns the rows in a range of ids that are things of their own, in id order.
    ///
    /// Every collection is searched by its index, including those that only a newer program knows.
    public func names(
        named ids: ClosedRange<Identifier>,
        limit: Int,
        in space: Identifier
    ) throws -> [RowName] {
        let number = try spaces.number(ofSpace: space)
        var (known, unknown): (Set<RowName>, Set<RowName>) = ([], [])
        for collection in try collectionNames(in: number) {
            guard let home = collections.home(of: collection) else { continue }
            let names = try self.ids(of: collection, ids, limit: limit, in: number)
                .map { RowName(collection: home, id: $0) }
            if collections[collection] == nil {
                unknown.formUnion(names)
            } else {
                known.formUnion(names)
            }
        }
        // A newer program's collection may extend a known row, which is no second row.
        let ids = Set(known.map(\.id))
        return (known + unknown.filter { !ids.contains($0.id) })
            .sorted { ($0.id, $0.collection) < ($1.id, $1.collection) }
            .prefix(limit).map(\.self)
    }

    /// Returns all row ids of a space, so that lists can abbreviate ids without ambiguity.
    public func ids(in space: Identifier) throws -> [Identifier] {
        let rows = try database.all(
            "SELECT DISTINCT row FROM row WHERE space = \(spaces.number(ofSpace: space))"
        ) { (try? Row(decoding: $0.blob(0)))?.id }
        return rows.compactMap(\.self)
    }

    /// Returns the number of rows in each collection, including unknown collections.
    public func counts(in space: Identifier) throws -> [(collection: Text, count: Int)] {
        try database.all(
            """
            SELECT collection, count(*) FROM row
            WHERE space = \(spaces.number(ofSpace: space)) AND deleted = 0
                AND (length(base) > 0 OR length(overlay) > 0)
            GROUP BY collection ORDER BY collection
            """
        ) { (Text($0.text(0)), Int($0.integer(1))) }
    }

    /// Returns the collections of a space, with one index seek each.
    func collectionNames(in space: Int64) throws -> [Text] {
        try database.all(
            """
            WITH RECURSIVE present (name) AS (
                SELECT min(collection) FROM row WHERE space = \(space)
                UNION ALL
                SELECT (SELECT min(collection) FROM row
                    WHERE space = \(space) AND collection > present.name)
                FROM present WHERE present.name IS NOT NULL)
            SELECT name FROM present WHERE name IS NOT NULL
            """
        ) { Text($0.text(0)) }
    }

    private func ids(
        of collection: Text,
        _ ids: ClosedRange<Identifier>,
        limit: Int,
        in space: Int64
    ) throws -> [Identifier] {
        let rows = try database.all(
            """
            SELECT row FROM row
            WHERE space = \(space) AND collection = \(collection) AND row
                BETWEEN \(Row.id(ids.lowerBound).encoded) AND \(Row.id(ids.upperBound).encoded)
                AND (length(base) > 0 OR length(overlay) > 0)
            ORDER BY row LIMIT \(limit)
            """
        ) { (try? Row(decoding: $0.blob(0)))?.id }
        return rows.compactMap(\.self)
    }
}
