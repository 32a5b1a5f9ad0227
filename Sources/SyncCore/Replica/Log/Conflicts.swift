/// Two concurrent writes of one field, or of two fields that each decide about the whole row.
///
/// Two writes are concurrent if neither replica knew the other's write. The fields that decide
/// about a row are its deletion and, for example, the rows that replace it.
public struct Conflict: Hashable, Sendable {
    /// The write that won.
    public let winner: Change
    /// The write that lost, and that nobody has decided about since.
    public let loser: Change

    /// Whether the two writes decide about the whole row in different ways.
    public var isAboutRow: Bool { winner.key != loser.key }
}

/// Fields that several replicas wrote concurrently.
public struct Conflicts: ReplicaPart {
    /// The context that all parts share.
    public let context: ReplicaContext

    /// Returns all open conflicts of a space, the latest first.
    ///
    /// A conflict is open until somebody who knows both values writes the field again. Imported and
    /// recorded values, and fields that no person edits, never conflict. A write of an earlier log
    /// whose author had seen more than the server kept of it counts as knowing every write, since
    /// its `seen` cannot be compared.
    public func all(in space: Identifier) throws -> [Conflict] {
        let rows = try history.rowsWithSeveralAuthors(in: try spaces.number(ofSpace: space))
        let opened = OpenedSets()
        return Self.sorted(
            try rows.flatMap { try conflicts(at: $0.name, $0.number, in: space, opened) }
        )
    }

    /// Returns the conflicts of one row.
    public func ofRow(of collection: Text, _ row: Row, in space: Identifier) throws -> [Conflict] {
        let number = try rows.find(try spaces.number(ofSpace: space), collection, row)?.number
        let name = Key(collection, row, "")
        return Self.sorted(try number.map { try conflicts(at: name, $0, in: space) } ?? [])
    }

    private static func sorted(_ conflicts: [Conflict]) -> [Conflict] {
        conflicts.sorted {
            ($1.winner.cell.stamp, $0.winner.key) < ($0.winner.cell.stamp, $1.winner.key)
        }
    }

    private func conflicts(
        at name: Key,
        _ number: Int64,
        in space: Identifier,
        _ opened: OpenedSets = OpenedSets()
    ) throws -> [Conflict] {
        let schema = collections[name.collection]
        guard schema?.fields.contains(where: \.isEdited) ?? true else { return [] }
        let writes = Dictionary(
            grouping: try chosenWrites(at: name, number, in: space, opened),
            by: \.change.key.field
        )
        let deletions = writes[FieldSchema.deleted.name] ?? []
        let rowDecisions = (schema?.rowDecisions ?? []).map(\.name).filter {
            $0 != FieldSchema.deleted.name
        }
        return writes.values.flatMap(Self.conflicts)
            + rowDecisions.compactMap {
                Self.conflict(deletions: deletions, rowDecisions: writes[$0] ?? [])
            }
    }

    /// Returns the conflict of a row that one replica deleted while another decided otherwise about
    /// it.
    ///
    /// The row is in the trash, and so is what the other replica made of it.
    private static func conflict(deletions: [KnownWrite], rowDecisions: [KnownWrite]) -> Conflict? {
        guard let deletion = winner(of: deletions), deletion.change.cell.value.bool == true,
            let decision = winner(of: rowDecisions), decision.change.cell.value != .null,
            decision.author != deletion.author, !decision.knew(deletion), !deletion.knew(decision)
        else { return nil }
        return Conflict(winner: deletion.change, loser: decision.change)
    }

    private static func conflicts(_ writes: [KnownWrite]) -> [Conflict] {
        guard Set(writes.map(\.author)).count > 1,
            let winner = winner(of: writes)
        else { return [] }
        return writes.compactMap { write in
            let isOpen =
                write.change.cell.value != winner.change.cell.value
                && write.author != winner.author && !write.knew(winner)
                && !writes.contains { $0.knew(write) }
            return isOpen ? Conflict(winner: winner.change, loser: write.change) : nil
        }
    }

    private static func winner(of writes: [KnownWrite]) -> KnownWrite? {
        writes.max { $0.change.cell < $1.change.cell }
    }

    /// Returns the writes to a row whose values people chose.
    private func chosenWrites(
        at name: Key,
        _ number: Int64,
        in space: Identifier,
        _ opened: OpenedSets
    ) throws -> [KnownWrite] {
        let (merged, past) = try merged(space)
        var writes: [KnownWrite] = []
        try history.eachSet(touching: number, in: space, opened) { set, statement in
            guard statement.isNull(3) || statement.unsigned(3) == Verdict.accepted.rawValue else {
                return
            }
            let seen = set.header.seen.position
            let isComparable =
                seen.position == 0 || seen.epoch == merged.epoch
                || past.contains { $0.epoch == seen.epoch && $0.position >= seen.position }
            writes += set.cells.changes(ofRow: name).filter(isChosen).map {
                KnownWrite(
                    change: $0,
                    author: set.header.replica,
                    sequence: set.header.sequence,
                    seen: isComparable ? seen.position : .max,
                    position: statement.isNull(2) ? nil : statement.unsigned(2)
                )
            }
        }
        let author = try identity.loadClock().replica
        return try writes
            + unsealed.changes(atRow: number).filter(isChosen).map {
                KnownWrite(
                    change: $0,
                    author: author,
                    sequence: .max,
                    seen: merged.position,
                    position: nil
                )
            }
    }

    /// Returns up to where a space's log is merged, and what it has of earlier logs.
    private func merged(_ space: Identifier) throws -> (LogPosition, past: [LogPosition]) {
        let merged = try database.first(
            "SELECT epoch, position, number FROM space WHERE id = \(space)"
        ) { (LogPosition(epoch: $0.id(0), position: $0.unsigned(1)), $0.integer(2)) }
        guard let (position, number) = merged else { throw ReplicaError.unknownSpace(space) }
        return (position, try lineage.past(of: number).map(\.position))
    }

    /// Returns whether a person chose the value.
    private func isChosen(_ change: Change) -> Bool {
        !change.cell.stamp.isTimeless && collections.isEdited(change.key)
    }
}

/// A write, with how much of the log its author knew.
private struct KnownWrite {
    let change: Change
    let author: Identifier
    let sequence: UInt64
    /// The position up to which the author had merged.
    let seen: UInt64
    /// The position of the write itself, or nil while it is in no log.
    let position: UInt64?

    /// Returns whether the author knew another write of the same field or row.
    func knew(_ other: KnownWrite) -> Bool {
        if author == other.author { return sequence > other.sequence }
        return other.position.map { $0 <= seen } ?? false
    }
}
