/// The spaces of a replica and their keys: the tables `space` and `space_key`.
public struct Spaces {
    let database: Database

    /// Stores how much of a space's log the server's last verified backup has.
    package func recordBackup(_ mark: BackupMark?, of space: Identifier) throws {
        guard let mark else { return }
        try database.run(
            """
            UPDATE space SET backed_up = \(mark.position), backup_time = \(mark.time.milliseconds)
            WHERE id = \(space) AND (backed_up != \(mark.position)
                OR backup_time IS NOT \(mark.time.milliseconds))
            """
        )
    }

    /// Returns the spaces of this replica, the own one first.
    public func all() throws -> [SpaceSummary] {
        try database.all(
            """
            SELECT id, kind, epoch, position, head, fingerprint, EXISTS (SELECT 1 FROM sealed q
                WHERE q.space = p.number AND q.pending IS NOT NULL
                    AND q.pending NOT LIKE 'void %' AND +q.position IS NOT NULL) OR EXISTS (SELECT 1
                FROM unreadable u WHERE u.space = p.number), controls FROM space p ORDER BY number
            """
        ) {
            SpaceSummary(
                id: $0.id(0),
                kind: SpaceKind(rawValue: $0.text(1)) ?? .shared,
                merged: LogPosition(epoch: $0.id(2), position: $0.unsigned(3)),
                head: $0.unsigned(4),
                fingerprint: Fingerprint(bytes: $0.blob(5)) ?? Fingerprint(),
                hasPending: $0.integer(6) == 1,
                controls: $0.unsigned(7)
            )
        }
    }

    /// Whether this replica has a space.
    func isStored(_ space: Identifier) throws -> Bool {
        try database.first("SELECT 1 FROM space WHERE id = \(space)") { _ in true } ?? false
    }

    /// Whether several people share a space.
    func isShared(_ space: Identifier) throws -> Bool {
        try database.first("SELECT 1 FROM space WHERE id = \(space) AND kind = 'shared'") { _ in
            true
        }
            ?? false
    }

    /// Returns the user's own space.
    public func own() throws -> Identifier {
        let own = try database.first("SELECT id FROM space WHERE kind = 'own'") { $0.id(0) }
        guard let own else { throw try database.identityError() }
        return own
    }
}

/// A space in this replica.
public struct SpaceSummary: Hashable, Sendable {
    /// The space.
    public let id: Identifier
    /// The kind of the space.
    public let kind: SpaceKind
    /// The cursor: how much of the server's log is merged.
    public let merged: LogPosition
    /// The last position that the server has reported.
    public let head: UInt64
    /// The digest of the base.
    ///
    /// It equals the server's at the same position.
    public let fingerprint: Fingerprint
    /// Whether the merged log has sets or entries that this replica cannot open or read yet.
    public let hasPending: Bool
    /// The number of control sets that are merged.
    package let controls: UInt64

    /// Whether the base has everything that the server has reported.
    ///
    /// If it has, two devices at the same position have equal fingerprints.
    public var isComplete: Bool { merged.position >= head && !hasPending }
}

extension Spaces {
    /// Returns the space keys of all key epochs.
    package func keys(of space: Identifier) throws -> SpaceKeys {
        let secrets = try database.all(
            """
            SELECT k.epoch, k.secret FROM space_key k JOIN space s ON s.number = k.space
            WHERE s.id = \(space)
            """
        ) { row in
            (UInt64(bigEndian: row.blob(0)), Secret(bytes: row.blob(1)))
        }
        return SpaceKeys(space: space, secrets: Dictionary(secrets) { $1 })
    }

    /// Returns the secrets of key epochs that the control chain of a space lost.
    func lostKeys(of space: Identifier) throws -> [SpaceKeys] {
        try database.all(
            """
            SELECT k.epoch, k.secret FROM lost_key k JOIN space s ON s.number = k.space
            WHERE s.id = \(space) ORDER BY k.epoch DESC
            """
        ) { row in
            let secret = Secret(bytes: row.blob(1))
            return SpaceKeys(space: space, secrets: [UInt64(bigEndian: row.blob(0)): secret])
        }
    }

    func number(ofSpace id: Identifier) throws -> Int64 {
        let number = try database.first("SELECT number FROM space WHERE id = \(id)") {
            $0.integer(0)
        }
        guard let number else { throw ReplicaError.unknownSpace(id) }
        return number
    }
}
