/// The work of this device in a shared space that no server has accepted.
extension Departures {
    /// Copies unsent work to the own space, each row as a whole and under its id; returns how many rows
    /// of each collection it copied.
    ///
    /// A track comes with those that it was made from. A recorder that runs goes on there, because the
    /// samples in no chunk yet come too. Chunks that have not arrived never will, and are left out.
    func keepUnsent(of space: Identifier, at now: Moment) throws -> [Text: Int] {
        let (from, own) = (
            try spaces.number(ofSpace: space), try spaces.number(ofSpace: try spaces.own())
        )
        let unsent = try unsentCells(of: from)
        let edited = try unsent.filter { try !isOthersTrash($0, $1, in: from) }.keys
        var ids = Set(edited.compactMap(\.row.id)).union(try tracksWithTail(in: from))
            .union(try recordings.unfinishedTracks(in: space, includesDeletedElsewhere: true))
        for id in ids { ids.formUnion(try relatives(of: RowAddress(space: from, id: id))) }
        let homes = try collectionsOfOwnRows(in: from)
        var kept: [Text: Int] = [:]
        for id in ids.sorted() {
            for (collection, home) in homes {
                let edits = try edits(of: id, collection, in: from, unsent, butNotIn: own)
                guard try copy(edits, to: own, at: now), collection == home else { continue }
                kept[collection, default: 0] += 1
            }
        }
        try points.moveTails(from: from, to: own)
        return kept
    }

    /// Returns the cells that no server has accepted, by row: unsealed ones, and those of own sets that
    /// wait or were declined.
    ///
    /// Throws ``ReplicaError/damaged(_:)`` if what nobody else has is damaged: it is healed first.
    private func unsentCells(of space: Int64) throws -> [Key: [Text: Cell]] {
        var changes = try unsealed.changes(space)
        try database.each(
            """
            SELECT number, upload, body, hash, verdict IS NULL FROM sealed
            WHERE space = \(space) AND own = 1 AND control IS NULL AND body IS NOT NULL
                AND pending IS NULL AND reissued IN (0, 3)
                AND (position IS NULL OR verdict > 0) AND coalesce(verdict, 1) > 0
            """
        ) { row in
            let isWaiting = row.integer(4) == 1
            guard let set = try isWaiting ? sets.waitingSet(row) : sets.intactSet(row) else {
                return
            }
            changes += try sets.readable(set)
        }
        return changes.reduce(into: [:]) { $0[$1.key.rowName, default: [:]].merge($1) }
    }

    private func tracksWithTail(in space: Int64) throws -> [Identifier] {
        try database.all("SELECT DISTINCT track FROM tail WHERE space = \(space)") { $0.id(0) }
    }

    private func relatives(of place: RowAddress) throws -> Dictionary<Identifier, [Text: Cell]>.Keys
    {
        try projection.graph(of: place).cells.keys
    }

    /// Returns the collections whose rows are named by ids of their own, each with the one that such a
    /// row stands on its own in.
    private func collectionsOfOwnRows(in space: Int64) throws -> [(Text, home: Text)] {
        try database.all(
            "SELECT DISTINCT collection FROM row WHERE space = \(space) ORDER BY collection"
        ) { Text($0.text(0)) }
        .compactMap { name in collections.home(of: name).map { (name, $0) } }
    }

    /// Whether all that waits of a row which others have is that it was moved to the trash.
    private func isOthersTrash(
        _ name: Key,
        _ cells: [Text: Cell],
        in space: Int64
    ) throws -> Bool {
        guard cells.count == 1, cells[FieldSchema.deleted.name]?.value.bool == true else {
            return false
        }
        return try rows.find(space, name.collection, name.row)?.base.isEmpty == false
    }

    /// Returns the edits that write the cells of a row again, but for those that the row has in the own
    /// space already.
    private func edits(
        of id: Identifier,
        _ collection: Text,
        in space: Int64,
        _ unsent: [Key: [Text: Cell]],
        butNotIn own: Int64
    ) throws -> [Edit] {
        guard let stored = try rows.find(space, collection, .id(id)) else { return [] }
        let present = try rows.find(own, collection, .id(id))
        let cells = stored.cells.merging(unsent[stored.key("").rowName] ?? [:]) { max($0, $1) }
        return try cells.sorted { $0.key < $1.key }.compactMap { field, cell in
            // In the own space a row needs no maker.
            guard field != FieldSchema.made.name, present?.cell(field) == nil,
                cell.value != .null, try isHere(cell)
            else { return nil }
            let edit = Change(key: stored.key(field), cell: cell).again
            // Others may have written more than this program writes.
            return (try? edit.check()).map { edit }
        }
    }

    /// Whether the chunk that a cell names is here; true if it names none.
    private func isHere(_ cell: Cell) throws -> Bool {
        guard let reference = ChunkReference(cell) else { return true }
        return try chunks.soundBytes(reference.hash) != nil
    }

    private func copy(_ edits: [Edit], to own: Int64, at now: Moment) throws -> Bool {
        guard try rows.apply(edits, in: own, at: now) > 0 else { return false }
        for edit in edits {
            try chunks.wantNamed(by: edit.value.encoded, at: edit.key, in: own)
        }
        return true
    }
}
