internal import SyncCore

/// The tables of a store in one SQLite file; the caller opens the transactions.
struct SQLiteTables {
    let database: Database
    let chains: ChainCache

    init(database: Database, chains: ChainCache = ChainCache()) {
        (self.database, self.chains) = (database, chains)
    }

    /// Returns the store's epoch, or nil while the store is being created.
    func epoch() throws -> Identifier? {
        try database.first("SELECT epoch FROM server") { $0.id(0) }
    }

    /// Sets the store's epoch, unless it has one.
    func setFirstEpoch(_ epoch: Identifier) throws {
        try database.run(
            "INSERT INTO server (one, epoch) VALUES (1, \(epoch)) ON CONFLICT DO NOTHING"
        )
    }
}
