/// Two writes of one field, by two replicas of which neither knew the other's; or of two fields that
/// decide about a whole track: its deletion, and the tracks that take its place.
public struct Conflict: Hashable, Sendable {
    /// The write that counts.
    public let winner: Change
    /// The one that it came over, and that nobody has decided upon since.
    public let loser: Change
}

extension Replica {
    /// The fields of tracks and settings that several replicas wrote without knowing of each other,
    /// and that nobody wrote again knowing both; the latest first.
    ///
    /// What was imported or recorded is no matter of choice, nor is the state of a recorder. Who wrote
    /// before the server's history began anew is taken to have known all: nobody can tell.
    public func conflicts(in space: Identifier) throws -> [Conflict] {
        try database.read {
            var writes: [Key: [KnownWrite]] = [:]
            for write in try chosenWrites(in: space) {
                writes[write.change.key, default: []].append(write)
            }
            let fates = writes.keys.filter { $0.field == TrackField.deleted }.compactMap {
                Self.conflict(
                    deletions: writes[$0] ?? [],
                    splits: writes[Key($0.collection, $0.row, TrackEdits.supersededBy)] ?? []
                )
            }
            return (writes.values.flatMap(Self.conflicts) + fates).sorted {
                ($1.winner.cell.stamp, $0.winner.key) < ($0.winner.cell.stamp, $1.winner.key)
            }
        }
    }

    /// A track that one replica put into the trash while another split or joined it: it is gone, and
    /// the tracks that were made of it with it.
    private static func conflict(deletions: [KnownWrite], splits: [KnownWrite]) -> Conflict? {
        guard let deletion = winner(of: deletions), deletion.change.cell.value.bool == true,
            let split = winner(of: splits), split.change.cell.value != .null,
            split.author != deletion.author, !split.knew(deletion), !deletion.knew(split)
        else { return nil }
        return Conflict(winner: deletion.change, loser: split.change)
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

    private func chosenWrites(in space: Identifier) throws -> [KnownWrite] {
        let number = try number(ofSpace: space)
        let keys = try spaceKeys(of: space)
        let merged = try database.first(
            "SELECT epoch, position FROM space WHERE number = $1",
            .integer(number)
        ) { LogPosition(epoch: $0.id(0), position: $0.unsigned(1)) }
        var writes: [KnownWrite] = []
        try database.each(
            """
            SELECT upload, body, position FROM sealed
            WHERE space = $1 AND body IS NOT NULL AND reissued != 1 AND coalesce(verdict, 0) = 0
            """,
            .integer(number)
        ) { row in
            let upload = try Upload(parsing: row.blob(0))
            // What cannot be opened is on the pending list; it is no part of anyone's state.
            guard let set = try? ChangeSet(opening: upload, body: row.blob(1), with: keys)
            else { return }
            let position = row.isNull(2) ? nil : row.unsigned(2)
            let seen = set.header.seen
            writes += set.changes.filter(\.isChosen).map {
                KnownWrite(
                    change: $0,
                    author: set.header.replica,
                    sequence: set.header.sequence,
                    seen: seen.position == 0 || seen.epoch == merged?.epoch
                        ? seen.position : .max,
                    position: position
                )
            }
        }
        let author = try loadClock().replica
        return try writes
            + unsealed(number).filter(\.isChosen).map {
                KnownWrite(
                    change: $0,
                    author: author,
                    sequence: .max,
                    seen: merged?.position ?? 0,
                    position: nil
                )
            }
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

extension Change {
    /// Whether a person chose the value.
    fileprivate var isChosen: Bool {
        [TrackField.collection, Setting.collection].contains(key.collection)
            && key.field != TrackField.status && !isTimeless
    }
}
