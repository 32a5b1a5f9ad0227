extension Replica {
    /// The spaces of this replica, the own one first.
    public func spaces() throws -> [SpaceSummary] {
        try database.all(
            """
            SELECT id, kind, epoch, position, head, fingerprint, EXISTS (SELECT 1 FROM sealed q
                WHERE q.space = p.number AND q.pending IS NOT NULL) OR EXISTS (SELECT 1
                FROM unreadable u WHERE u.space = p.number) FROM space p ORDER BY number
            """
        ) {
            SpaceSummary(
                id: $0.id(0),
                kind: SpaceKind(rawValue: $0.text(1)) ?? .shared,
                merged: LogPosition(epoch: $0.id(2), position: $0.unsigned(3)),
                head: $0.unsigned(4),
                fingerprint: Fingerprint(bytes: $0.blob(5)) ?? Fingerprint(),
                hasPending: $0.integer(6) == 1
            )
        }
    }

    /// The space that is this person's own.
    public func ownSpace() throws -> Identifier {
        let own = try database.first("SELECT id FROM space WHERE kind = 'own'") { $0.id(0) }
        guard let own else { throw ReplicaError.missing }
        return own
    }

    /// The winning cell of every field of a row; empty where nothing was written.
    public func cells(_ collection: Text, _ row: Row, in space: Identifier) throws -> [Text: Cell] {
        try storedRow(try number(ofSpace: space), collection, row)?.cells ?? [:]
    }

    /// The rows of a collection with their winning cells, in the order of the rows.
    public func rows(
        _ collection: Text,
        in space: Identifier
    ) throws -> [(row: Row, cells: [Text: Cell])] {
        try storedRows(try number(ofSpace: space), collection).map { ($0.row, $0.cells) }
    }
}

/// A space as this replica has it.
public struct SpaceSummary: Hashable, Sendable {
    /// The space.
    public let id: Identifier
    /// What it is to its members.
    public let kind: SpaceKind
    /// How far the server's log was merged.
    public let merged: LogPosition
    /// The last position that the server told of.
    public let head: UInt64
    /// The digest of the base, which equals the server's at the same position.
    public let fingerprint: Fingerprint
    /// Whether there are sets in the log that this replica cannot open yet.
    public let hasPending: Bool

    /// Whether the base is all that the server told of: then fingerprints of two devices at the
    /// same position are equal.
    public var isComplete: Bool { merged.position >= head && !hasPending }
}
