internal import SyncCore

/// The tables of a store in one SQLite file; transactions are the caller's.
struct SQLiteTables {
    let database: Database

    /// The incarnation of the history, nil in a store that is being made.
    func epoch() throws -> Identifier? {
        try database.first("SELECT epoch FROM server") { $0.id(0) }
    }

    /// Makes the store one of an epoch, unless it is of one already.
    func setFirstEpoch(_ epoch: Identifier) throws {
        try database.run(
            "INSERT INTO server (one, epoch) VALUES (1, \(epoch)) ON CONFLICT DO NOTHING"
        )
    }
}
