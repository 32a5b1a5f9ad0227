/// Entries of the merged log that came without what they should have: sets without a right body,
/// newest sets without a signature, and entries that could not be read.
package struct IncompleteEntries: ReplicaPart {
    package let context: ReplicaContext

    /// Returns the next positions to ask the server for, ascending.
    ///
    /// An entry that a newer program wrote is asked for once: its bytes may have been damaged on
    /// their way. Any other one that could not be read is asked for until it can.
    package func positions(
        in space: Identifier,
        after position: UInt64,
        at now: UnixTime
    ) throws -> [UInt64] {
        let incomplete = try database.all(
            """
            SELECT q.position FROM sealed q JOIN space p ON p.number = q.space
            WHERE p.id = \(space) AND q.pending = \(MissingBody.mark) AND +q.position > \(position)
            UNION SELECT u.position FROM unreadable u JOIN space p ON p.number = u.space
            WHERE p.id = \(space) AND u.epoch = p.epoch AND u.position > \(position)
                AND u.is_asked = 0
            ORDER BY 1 LIMIT \(Limits.entryLimit)
            """
        ) { $0.unsigned(0) }
        let unsigned = try unsignedHeads.positions(in: spaces.number(ofSpace: space), at: now)
            .filter { $0 > position }
        return Array(Set(incomplete).union(unsigned).sorted().prefix(Limits.entryLimit))
    }

    /// The number of sets without a body, and of unreadable entries to ask the server for.
    func count(in space: Int64) throws -> Int {
        try database.first(
            """
            SELECT (SELECT count(*) FROM sealed WHERE space = \(space)
                AND pending = \(MissingBody.mark) AND +position IS NOT NULL)
                + (SELECT count(*) FROM unreadable u JOIN space p ON p.number = u.space
                    WHERE p.number = \(space) AND u.epoch = p.epoch AND u.is_asked = 0)
            """
        ) { Int($0.integer(0)) } ?? 0
    }

    /// Takes the mark from a set that waits for its body, if it is the one at a position.
    func takeMissing(_ set: Int64, at position: UInt64) throws -> Bool {
        try database.first(
            """
            UPDATE sealed SET pending = NULL WHERE number = \(set) AND position = \(position)
                AND pending = \(MissingBody.mark) RETURNING 1
            """
        ) { _ in true } ?? false
    }

    /// Takes the mark from all sets without a body, which are not missing then.
    func forgetMissing(in space: Int64) throws {
        try database.run(
            """
            UPDATE sealed SET pending = NULL
            WHERE space = \(space) AND pending = \(MissingBody.mark) AND +position IS NOT NULL
            """
        )
    }

    /// Takes what the server sent again for a position.
    ///
    /// What can be read and is still the entry at its position is merged by
    /// ``PageMerger/mergeAgain(_:_:in:at:)``.
    ///
    /// - Parameter isNewer: whether a newer program wrote it.
    func note(_ entry: [UInt8], at position: UInt64, in space: Int64, isNewer: Bool) throws {
        try database.run(
            """
            UPDATE unreadable SET entry = \(entry), is_asked = \(isNewer ? 1 : 0)
            WHERE space = \(space) AND position = \(position)
                AND epoch = (SELECT epoch FROM space WHERE number = \(space))
            """
        )
    }
}
