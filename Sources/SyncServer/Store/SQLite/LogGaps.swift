internal import SyncCore

/// What the log of a space lacks, for devices to bring.
struct LogGaps {
    let tables: SQLiteTables
    let space: Identifier

    private var database: Database { tables.database }

    /// Returns the first positions of sets that are lost, and of sets without a body that count.
    func first(_ limit: Int) throws -> [UInt64] {
        // The first condition is that of the index.
        let lost = try database.all(
            """
            SELECT position FROM log
            WHERE space_id = \(space) AND (upload IS NULL OR (body IS NULL AND verdict < 2))
                AND (upload IS NULL OR verdict = 0)
            ORDER BY position LIMIT \(limit)
            """
        ) { $0.unsigned(0) }
        guard lost.count < limit else { return lost }
        return try (lost + adopted().prefix(limit - lost.count)).sorted()
    }

    /// The positions of adopted sets without a body; none as long as the control chain is damaged.
    private func adopted() throws -> [UInt64] {
        guard let chain = try tables.soundChain(of: space),
            chain.decisions.values.contains(.adopted)
        else { return [] }
        return try database.all(
            """
            SELECT position, upload FROM log
            WHERE space_id = \(space) AND body IS NULL AND verdict = 1 AND upload IS NOT NULL
            ORDER BY position
            """
        ) { row in
            let isAdopted = (try? Upload(parsing: row.blob(1))).map {
                chain.decision(on: $0) == .adopted
            }
            return isAdopted == true ? row.unsigned(0) : nil
        }
        .compactMap(\.self)
    }
}
