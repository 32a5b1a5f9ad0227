/// A log entry that this program cannot read: a newer program wrote it, or it is damaged.
public struct UnreadableEntry: Hashable, Sendable {
    /// The space.
    public let space: Identifier
    /// The position in the log.
    public let position: UInt64
    /// Why it cannot be read, or nil for the adoption of a set that is itself unreadable.
    public let reason: ChangeSetError?
}

/// Log entries that this program cannot read, kept verbatim: the table `unreadable`.
public struct UnreadableEntries: ReplicaPart {
    /// The context that all parts share.
    public let context: ReplicaContext

    /// Returns all unreadable entries by space and position.
    ///
    /// A newer program merges them at its first sync.
    public func all() throws -> [UnreadableEntry] {
        try database.all(
            """
            SELECT p.id, u.position, u.entry FROM unreadable u JOIN space p ON p.number = u.space
            ORDER BY u.space, u.position
            """
        ) { row in
            UnreadableEntry(
                space: row.id(0),
                position: row.unsigned(1),
                reason: Self.fault(in: row.blob(2), row.id(0))
            )
        }
    }

    private static func fault(in entry: [UInt8], _ space: Identifier) -> ChangeSetError? {
        do throws(ChangeSetError) {
            _ = try ParsedEntry(entry, in: space)
            return nil
        } catch {
            return error
        }
    }

    func count(in space: Int64) throws -> Int {
        try database.first(
            "SELECT count(*) FROM unreadable WHERE space = \(space)"
        ) { Int($0.integer(0)) } ?? 0
    }
}
