internal import SyncCore

extension SQLiteStore {
    /// How far a space was in the last verified backup, nil before the first one of this epoch.
    func backupMark(of space: Identifier, for user: Identifier) async throws -> BackupMark? {
        _ = try Self.role(of: user, in: space, database)
        let row = try database.first(
            "SELECT backed_up, backup_time FROM space WHERE space_id = $1",
            .id(space)
        ) { ($0.unsigned(0), $0.isNull(1) ? nil : $0.integer(1)) }
        guard let (position, time) = row, let time else { return nil }
        return BackupMark(position: position, time: UnixTime(milliseconds: time))
    }
}
