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

    /// Begins an epoch, whose logs go on from those of the present one.
    func beginEpoch(_ epoch: Identifier) throws {
        try database.run(
            """
            INSERT INTO log_past (space_id, place, epoch, position, chain)
            SELECT s.space_id, (SELECT count(*) FROM log_past p WHERE p.space_id = s.space_id),
                e.epoch, s.head, s.chain FROM space s, server e
            """
        )
        try database.run("UPDATE server SET epoch = \(epoch)")
        // A position of the epoch before says nothing of this one.
        try database.run(
            "UPDATE space SET backed_up = 0, backup_time = NULL, restored = controls"
        )
    }

    /// Returns where a log goes on from those of earlier epochs, the newest first.
    func past(of space: Identifier) throws -> [LogEnding] {
        try database.all(
            """
            SELECT epoch, position, chain FROM log_past WHERE space_id = \(space)
            ORDER BY place DESC LIMIT \(Page.pastLimit)
            """
        ) {
            LogEnding(
                position: LogPosition(epoch: $0.id(0), position: $0.unsigned(1)),
                chain: $0.digest(2)
            )
        }
    }

    /// Sets the store's epoch, unless it has one.
    func setFirstEpoch(_ epoch: Identifier) throws {
        try database.run(
            "INSERT INTO server (one, epoch) VALUES (1, \(epoch)) ON CONFLICT DO NOTHING"
        )
    }
}
