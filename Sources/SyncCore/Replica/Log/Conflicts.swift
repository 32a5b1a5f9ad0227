/// Two writes of one field, by two replicas of which neither knew the other's; or of two fields that
/// each decide about a whole row, such as its deletion and the rows that take its place.
public struct Conflict: Hashable, Sendable {
    /// The write that counts.
    public let winner: Change
    /// The value that it overwrote, and that nobody has decided upon since.
    public let loser: Change

    /// Whether they decide about the whole row in two ways.
    public var isAboutRow: Bool { winner.key != loser.key }
}

/// Fields that several replicas wrote without knowing of each other.
public struct Conflicts: ReplicaPart {
    /// What all parts share.
    public let context: ReplicaContext

    /// The fields that several replicas wrote without knowing of each other, and that nobody wrote
    /// again knowing both; the latest first.
    ///
    /// What was imported or recorded is no matter of choice, nor is what no person edits. Who wrote
    /// before the server's history began anew is taken to have known all: nobody can tell.
    public func all(in space: Identifier) throws -> [Conflict] {
        let rows = try history.rowsWithSeveralAuthors(in: try spaces.number(ofSpace: space))
        return Self.sorted(
            try rows.flatMap { try conflicts(at: $0.name, $0.number, in: space) }
        )
    }

    /// The conflicts of one row.
    public func ofRow(
        of collection: Text,
        _ row: Row,
        in space: Identifier
    ) throws -> [Conflict] {
        let number = try rows.number(try spaces.number(ofSpace: space), collection, row)
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
        in space: Identifier
    ) throws -> [Conflict] {
        let schema = collections[name.collection]
        guard schema?.fields.contains(where: \.isEdited) ?? true else { return [] }
        let writes = Dictionary(
            grouping: try chosenWrites(at: name, number, in: space),
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

    /// A row that one replica put into the trash while another decided otherwise about it: it is gone,
    /// and with it what the other made of it.
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

    /// The writes to a row whose values people chose.
    private func chosenWrites(
        at name: Key,
        _ number: Int64,
        in space: Identifier
    ) throws -> [KnownWrite] {
        let merged = try database.first(
            "SELECT epoch, position FROM space WHERE id = \(space)"
        ) { LogPosition(epoch: $0.id(0), position: $0.unsigned(1)) }
        var writes: [KnownWrite] = []
        try history.eachSet(touching: number, in: space) { set, statement in
            guard statement.isNull(3) || statement.unsigned(3) == Verdict.accepted.rawValue else {
                return
            }
            let seen = set.header.seen
            let isComparable = seen.position == 0 || seen.epoch == merged?.epoch
            writes += set.changes.filter { isChosen($0, at: name) }.map {
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
            + unsealed.changes(atRow: number, name).filter { isChosen($0, at: name) }.map {
                KnownWrite(
                    change: $0,
                    author: author,
                    sequence: .max,
                    seen: merged?.position ?? 0,
                    position: nil
                )
            }
    }

    /// Whether a change is of a row, and a person chose its value.
    private func isChosen(_ change: Change, at name: Key) -> Bool {
        change.key.collection == name.collection && change.key.row == name.row
            && !change.cell.stamp.isTimeless && collections.isEdited(change.key)
    }
}

/// A write, and what its author knew of the log.
private struct KnownWrite {
    let change: Change
    let author: Identifier
    let sequence: UInt64
    /// The position up to which its author had merged.
    let seen: UInt64
    /// Its own; nil while it is in no log.
    let position: UInt64?

    /// Whether the author knew of another write of the same place.
    func knew(_ other: KnownWrite) -> Bool {
        if author == other.author { return sequence > other.sequence }
        return other.position.map { $0 <= seen } ?? false
    }
}

extension ReplicaPart {
    /// Writes of one field that did not know of each other.
    public var conflicts: Conflicts { Conflicts(context: context) }
}
