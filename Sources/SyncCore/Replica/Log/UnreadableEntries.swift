/// An entry of the log that this program cannot read: a newer one wrote it, or it is damaged.
public struct UnreadableEntry: Hashable, Sendable {
    /// The space.
    public let space: Identifier
    /// Its place in the log.
    public let position: UInt64
    /// Why it cannot be read; nil for what is about another entry that cannot be.
    public let reason: ChangeSetError?
}

/// Entries of the log that this program cannot read, kept as they came: the table `unreadable`.
public struct UnreadableEntries: ReplicaPart {
    /// What all parts share.
    public let context: ReplicaContext

    /// What the log holds that this program cannot read, kept as it came.
    ///
    /// A newer program reads it at its first sync.
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

    /// How many entries of a space's log cannot be read.
    func count(in space: Int64) throws -> Int {
        try database.first(
            "SELECT count(*) FROM unreadable WHERE space = \(space)"
        ) { Int($0.integer(0)) } ?? 0
    }
}

extension ReplicaPart {
    /// Entries of the log that cannot be read.
    public var unreadable: UnreadableEntries { UnreadableEntries(context: context) }
}
