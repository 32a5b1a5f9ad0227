internal import SyncCore

extension SQLiteStore {
    /// The migrations to the present schema.
    ///
    /// Every key of a space's data starts with the space. The schema uses no sequences and no
    /// triggers, so that the same statements work in other databases.
    ///
    /// In `log`, a row without `upload` is a set that was damaged. A replica is `closed` if two sets have
    /// the same name; its `signature` is its device's over the head, which names so many `controls`.
    /// `control_set` has the positions of the control chain, whose end stands in `space`; `named` is
    /// the greatest number of control sets that the log has or that a receipt of an earlier log proves;
    /// `has_other_chain` is 1 if others stand in the places of some of these. `card` and `member` mirror
    /// the chain: the devices and recovery codes that ever were in a space, and the users who are in it now;
    /// `kept` is the number of bytes that are kept of a device after it was shut out. `device` has each
    /// device once; one that its user or the operator revoked is in no space any more. `wanted_chunk` lists
    /// the chunks that the log names and the store lacks.
    /// `backed_up` is the position up to which the last verified backup has a space complete.
    /// `log_past` has the ends of the logs of earlier epochs from which this one goes on, numbered
    /// from the oldest.
    static let migrations = Migrations(
        mark: "server",
        [
            """
            CREATE TABLE server (
                one INTEGER PRIMARY KEY CHECK (one = 1), epoch BLOB NOT NULL) STRICT;
            CREATE TABLE account (user_id BLOB PRIMARY KEY, name TEXT NOT NULL) STRICT;
            CREATE TABLE device (
                device_id BLOB PRIMARY KEY, user_id BLOB NOT NULL, name TEXT NOT NULL,
                kind TEXT NOT NULL, key_epoch INTEGER NOT NULL, enrolled INTEGER NOT NULL,
                revoked INTEGER NOT NULL) STRICT;
            CREATE INDEX device_user ON device (user_id, enrolled);
            CREATE TABLE nonce (
                device_id BLOB NOT NULL, nonce TEXT NOT NULL, seen INTEGER NOT NULL,
                PRIMARY KEY (device_id, nonce)) STRICT, WITHOUT ROWID;
            CREATE TABLE invitation (
                token BLOB PRIMARY KEY, name TEXT NOT NULL, expires INTEGER NOT NULL,
                space_id BLOB) STRICT;
            CREATE TABLE replica_owner (
                replica_id BLOB PRIMARY KEY, device_id BLOB NOT NULL) STRICT, WITHOUT ROWID;
            CREATE TABLE space (
                space_id BLOB PRIMARY KEY, head INTEGER NOT NULL, chain BLOB NOT NULL,
                greatest INTEGER NOT NULL, backed_up INTEGER NOT NULL DEFAULT 0,
                backup_time INTEGER, controls INTEGER NOT NULL DEFAULT 0,
                control_head BLOB NOT NULL, named INTEGER NOT NULL DEFAULT 0,
                has_other_chain INTEGER NOT NULL DEFAULT 0,
                restored INTEGER NOT NULL DEFAULT 0, founder BLOB, kind TEXT)
                STRICT, WITHOUT ROWID;
            CREATE INDEX space_founder ON space (founder, kind);
            CREATE TABLE control_set (
                space_id BLOB NOT NULL, place INTEGER NOT NULL, position INTEGER NOT NULL,
                PRIMARY KEY (space_id, place)) STRICT, WITHOUT ROWID;
            CREATE TABLE log_past (
                space_id BLOB NOT NULL, place INTEGER NOT NULL, epoch BLOB NOT NULL,
                position INTEGER NOT NULL, chain BLOB NOT NULL,
                PRIMARY KEY (space_id, place)) STRICT, WITHOUT ROWID;
            CREATE TABLE member (
                space_id BLOB NOT NULL, user_id BLOB NOT NULL, role TEXT NOT NULL,
                PRIMARY KEY (space_id, user_id)) STRICT, WITHOUT ROWID;
            CREATE TABLE card (
                space_id BLOB NOT NULL, device_id BLOB NOT NULL, user_id BLOB NOT NULL,
                ended INTEGER NOT NULL, kept INTEGER NOT NULL DEFAULT 0,
                PRIMARY KEY (space_id, device_id)) STRICT, WITHOUT ROWID;
            CREATE INDEX card_device ON card (device_id);
            CREATE TABLE replica_head (
                space_id BLOB NOT NULL, replica_id BLOB NOT NULL, sequence INTEGER NOT NULL,
                hash BLOB NOT NULL, closed INTEGER NOT NULL DEFAULT 0, signature BLOB,
                controls INTEGER NOT NULL DEFAULT 0, sum INTEGER NOT NULL,
                PRIMARY KEY (space_id, replica_id)) STRICT, WITHOUT ROWID;
            CREATE TABLE log (
                space_id BLOB NOT NULL, position INTEGER NOT NULL, replica_id BLOB NOT NULL,
                sequence INTEGER NOT NULL, hash BLOB NOT NULL, verdict INTEGER NOT NULL,
                reason TEXT NOT NULL, receipt BLOB NOT NULL, chain BLOB NOT NULL,
                upload BLOB, body BLOB, received INTEGER NOT NULL,
                PRIMARY KEY (space_id, position)) STRICT;
            CREATE UNIQUE INDEX log_replica ON log (space_id, replica_id, sequence, hash);
            CREATE INDEX log_held ON log (space_id, position) WHERE verdict = 1;
            CREATE INDEX log_gaps ON log (space_id, position)
                WHERE upload IS NULL OR (body IS NULL AND verdict < 2);
            CREATE TABLE chunk (
                space_id BLOB NOT NULL, hash BLOB NOT NULL, bytes BLOB NOT NULL,
                PRIMARY KEY (space_id, hash)) STRICT;
            CREATE TABLE wanted_chunk (
                space_id BLOB NOT NULL, hash BLOB NOT NULL,
                PRIMARY KEY (space_id, hash)) STRICT, WITHOUT ROWID;
            CREATE TABLE revocation (device_id BLOB PRIMARY KEY) STRICT, WITHOUT ROWID;
            """
        ]
    )
}
