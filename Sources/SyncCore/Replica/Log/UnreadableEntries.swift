/// A log entry that this program cannot read: a newer program wrote it, or it is damaged.
public struct UnreadableEntry: Hashable, Sendable {
    /// The space.
    public let space: Identifier
    /// The position in the log.
    public let position: UInt64
    /// Whether the server is asked for it until it can be read.
    public let isAwaited: Bool
    /// Why it cannot be read; nil if it can be now, and the next page merges it.
    public let reason: ChangeSetError?
}

/// Log entries that this program cannot read, kept verbatim: the table `unreadable`.
public struct UnreadableEntries: ReplicaPart {
    /// The context that all parts share.
    public let context: ReplicaContext

    /// Returns all unreadable entries by space and position.
    ///
    /// A newer program merges those that are not awaited at its first sync.
    public func all() throws -> [UnreadableEntry] {
        try database.all(
            """
            SELECT p.id, u.position, u.is_asked = 0 AND u.epoch = p.epoch, u.entry
            FROM unreadable u JOIN space p ON p.number = u.space
            ORDER BY u.space, u.position
            """
        ) { row in
            UnreadableEntry(
                space: row.id(0),
                position: row.unsigned(1),
                isAwaited: row.integer(2) == 1,
                reason: Self.fault(in: row.blob(3))
            )
        }
    }

    /// Deletes the lost entries of a log that is given up: they hold nothing to read later.
    func forgetLost(of space: Int64) throws {
        let lost = try database.all(
            """
            SELECT epoch, position, entry FROM unreadable WHERE space = \(space)
            """
        ) { row in
            let isLost = Self.fault(in: row.blob(2)) == .lost
            return isLost ? (epoch: row.id(0), position: row.unsigned(1)) : nil
        }
        for entry in lost.compactMap(\.self) {
            try database.run(
                """
                DELETE FROM unreadable WHERE space = \(space) AND epoch = \(entry.epoch)
                    AND position = \(entry.position)
                """
            )
        }
    }

    private static func fault(in entry: [UInt8]) -> ChangeSetError? {
        do throws(ChangeSetError) {
            _ = try ParsedEntry(entry)
            return nil
        } catch {
            return error
        }
    }
}
