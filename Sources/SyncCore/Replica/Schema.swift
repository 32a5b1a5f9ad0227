extension Replica {
    /// The migrations to the present schema of a replica's file.
    ///
    /// - `row`: `base` and `overlay` are packed cells (``CellRecord``). `deleted` is 1 if they say
    ///   that the row is in the trash.
    /// - `replica`, `field`: the names behind the numbers in packed cells.
    /// - `history`: full blocks of the set numbers of a row (``RowHistory``); `row.sets` has the
    ///   last ones.
    /// - `sealed`: all known sets, verbatim. The `verdict` of an own set is null until the server
    ///   reports it. `position` is null if no merged log has the set: an own set that waits or,
    ///   after a new epoch, any set that the new log has not brought yet. Its verdict and receipt
    ///   are then those of the earlier log. The verdict of an `adopted` set is that of a set that counts;
    ///   the log holds it.
    ///   `reissued` is 1 for a set whose changes were written again, 2 for a set that was dismissed
    ///   or given up, and 3 for an own set that was declined and is no longer offered.
    /// - `unchecked_time`: own sets with the times of a clock that no server checked.
    /// - `orphan`: sets without a position that are own or have a receipt. A set that was written
    ///   again counts only if it was declined, or is own and has a receipt. Once the log is merged
    ///   to its end, it lacks these sets. Sets of the present replica id are pushed instead.
    /// - `unsealed`: `lead` is how far the clock was ahead of the stamp (``Unsent/lead``).
    ///   `reissued` is its ``Unsent/State``. `sum` finds damage (``Unsent/sum(row:_:)``).
    /// - `unreadable`: log entries that this program cannot read, verbatim.
    /// - `chunk`: a chunk without `bytes` is wanted; otherwise they are the last bytes, after those
    ///   in `chunk_slice` (``ChunkSlices``). `summary` is its ``ChunkSummary``, as the
    ///   reference states it or by a later rule; `ends` are the ``Samples/ends``, packed.
    /// - `damaged_chunk`: the wrong bytes of a chunk that no server has, for a manual rescue. A change
    ///   that names it is not sealed until the chunk is here again.
    /// - `chunk_use`: all chunks that any cell names, even a cell that lost, by track and first
    ///   sample.
    /// - `track`: a projection that can be rebuilt from rows and chunks.
    /// - `derivation`: the tracks that a track names, or named, as sources or successors.
    /// - `self`: `trust` is how the device recognises its server, a ``ServerTrust``.
    ///   `clock_periods` are the packed ``ClockPeriods``.
    /// - `space`: `backed_up` is the position up to which the log is in a verified backup.
    ///   `controls` counts the control sets that were merged, and `control_head` is the hash of the
    ///   last one. The column `control` of `sealed` is the index of a control set that was merged,
    ///   or of an own one that waits. It is a ``ControlMark`` for a control set that does not count,
    ///   and null for any other set.
    /// - `entrance`: how this device enters a space, or has entered it: the keys and the replica id
    ///   that it will have, and the control set until the server has taken it. `door` is the id of
    ///   the link, or of the card that vouches. The keys of a link are kept, for a server that was
    ///   put back to before this device entered.
    /// - `signed_head`: the newest head of each replica that its device signed (``SignedHead``).
    ///   `is_lacking` is 1 if the server showed that head without the signature.
    /// - `unsigned_head`: replicas whose newest sets came without a signature (``UnsignedHeads``).
    /// - `lost_key`: secrets of key epochs that the control chain lost; they open what was sealed
    ///   under them, for this person alone.
    /// - `lost_revocation`: devices whose revocation the control chain lost. Nothing that they sign
    ///   changes it again.
    /// - `log_link`: the links of the merged log's hash chain (``LogLinks``), 32 to a row.
    /// - `log_claim`: what the author of a set, or this database (replica 0), was shown of a log, as
    ///   long as it cannot be compared (``SeenClaim``); and where the merged log goes on from earlier
    ///   ones, as the server names them (replica -1, in the order of `since`).
    /// - `event`: events for the person.
    /// - `breach`: what no honest server and no honest member does (``Breach``).
    /// - `action`: what a person did here at one time, with the values before and after, for undo.
    package static let migrations = Migrations(
        mark: "self",
        [
            """
            CREATE TABLE self (
                one INTEGER PRIMARY KEY CHECK (one = 1), replica BLOB NOT NULL,
                clock INTEGER NOT NULL, seals INTEGER NOT NULL, name TEXT NOT NULL,
                user BLOB NOT NULL, device BLOB NOT NULL, signing_key BLOB NOT NULL,
                agreement_key BLOB NOT NULL, authority TEXT, anchor INTEGER, anchor_boot BLOB,
                anchor_uncertainty INTEGER, last_sync INTEGER, trouble TEXT, trust TEXT,
                clock_periods BLOB) STRICT;
            CREATE TABLE device_key (epoch BLOB PRIMARY KEY, secret BLOB NOT NULL) STRICT;
            CREATE TABLE space (
                number INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, kind TEXT NOT NULL,
                epoch BLOB NOT NULL, position INTEGER NOT NULL, chain BLOB NOT NULL,
                head INTEGER NOT NULL, fingerprint BLOB NOT NULL, greatest INTEGER NOT NULL,
                sequence INTEGER NOT NULL, previous BLOB NOT NULL, mismatch INTEGER,
                backed_up INTEGER NOT NULL DEFAULT 0, backup_time INTEGER,
                controls INTEGER NOT NULL DEFAULT 0, control_head BLOB NOT NULL) STRICT;
            CREATE TABLE entrance (
                one INTEGER PRIMARY KEY CHECK (one = 1), door BLOB NOT NULL,
                door_signing_key BLOB, door_agreement_key BLOB,
                signing_key BLOB NOT NULL, agreement_key BLOB NOT NULL, replica BLOB NOT NULL,
                upload BLOB, body BLOB) STRICT;
            CREATE TABLE signed_head (
                space INTEGER NOT NULL, replica INTEGER NOT NULL, sequence INTEGER NOT NULL,
                hash BLOB NOT NULL, signature BLOB NOT NULL, is_lacking INTEGER NOT NULL,
                PRIMARY KEY (space, replica)) STRICT, WITHOUT ROWID;
            CREATE TABLE unsigned_head (
                space INTEGER NOT NULL, replica INTEGER NOT NULL, sequence INTEGER NOT NULL,
                since INTEGER NOT NULL, asked INTEGER NOT NULL, sum INTEGER NOT NULL,
                PRIMARY KEY (space, replica)) STRICT, WITHOUT ROWID;
            CREATE TABLE log_link (
                space INTEGER NOT NULL, block INTEGER NOT NULL, epoch BLOB NOT NULL,
                links BLOB NOT NULL, PRIMARY KEY (space, block, epoch)) STRICT, WITHOUT ROWID;
            CREATE TABLE log_claim (
                space INTEGER NOT NULL, replica INTEGER NOT NULL, epoch BLOB NOT NULL,
                position INTEGER NOT NULL, chain BLOB NOT NULL, since INTEGER NOT NULL,
                sum INTEGER NOT NULL,
                PRIMARY KEY (space, replica, epoch)) STRICT, WITHOUT ROWID;
            CREATE TABLE space_key (
                space INTEGER NOT NULL, epoch BLOB NOT NULL, secret BLOB NOT NULL,
                PRIMARY KEY (space, epoch)) STRICT;
            CREATE TABLE lost_key (
                secret BLOB PRIMARY KEY, epoch BLOB NOT NULL, space INTEGER NOT NULL) STRICT,
                WITHOUT ROWID;
            CREATE TABLE lost_revocation (
                space INTEGER NOT NULL, device BLOB NOT NULL,
                PRIMARY KEY (space, device)) STRICT, WITHOUT ROWID;
            CREATE TABLE replica (number INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE) STRICT;
            CREATE TABLE field (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
            CREATE TABLE row (
                number INTEGER PRIMARY KEY, space INTEGER NOT NULL, collection TEXT NOT NULL,
                row BLOB NOT NULL, base BLOB NOT NULL, overlay BLOB NOT NULL, sets BLOB NOT NULL,
                deleted INTEGER NOT NULL DEFAULT 0, UNIQUE (space, collection, row)) STRICT;
            CREATE INDEX row_trash ON row (space) WHERE deleted = 1;
            CREATE TABLE history (
                row INTEGER NOT NULL, block INTEGER NOT NULL, sets BLOB NOT NULL,
                PRIMARY KEY (row, block)) STRICT, WITHOUT ROWID;
            CREATE TABLE unsealed (
                row INTEGER NOT NULL, field BLOB NOT NULL, time INTEGER NOT NULL,
                value BLOB NOT NULL, lead INTEGER NOT NULL, reissued INTEGER NOT NULL,
                sum INTEGER NOT NULL, PRIMARY KEY (row, field)) STRICT, WITHOUT ROWID;
            CREATE TABLE sealed (
                number INTEGER PRIMARY KEY, space INTEGER NOT NULL, replica INTEGER NOT NULL,
                sequence INTEGER NOT NULL, hash BLOB NOT NULL, upload BLOB NOT NULL, body BLOB,
                own INTEGER NOT NULL, position INTEGER, verdict INTEGER, reason TEXT, receipt BLOB,
                pending TEXT, reissued INTEGER NOT NULL DEFAULT 0,
                adopted INTEGER NOT NULL DEFAULT 0, control INTEGER,
                UNIQUE (space, replica, sequence, hash)) STRICT;
            CREATE TABLE unchecked_time (number INTEGER PRIMARY KEY) STRICT;
            CREATE TRIGGER sealed_removed AFTER DELETE ON sealed BEGIN
                DELETE FROM unchecked_time WHERE number = old.number; END;
            CREATE INDEX sealed_position ON sealed (space, position);
            CREATE INDEX sealed_queue ON sealed (space, replica, sequence)
                WHERE position IS NULL;
            CREATE INDEX sealed_control ON sealed (space, control) WHERE control IS NOT NULL;
            CREATE INDEX sealed_attention ON sealed (space)
                WHERE pending IS NOT NULL OR verdict > 0;
            CREATE TABLE chunk (
                number INTEGER PRIMARY KEY, hash BLOB NOT NULL UNIQUE, space INTEGER NOT NULL,
                track BLOB NOT NULL, bytes BLOB, kind INTEGER NOT NULL, summary BLOB,
                ends BLOB) STRICT;
            CREATE TABLE damaged_chunk (hash BLOB PRIMARY KEY, bytes BLOB NOT NULL) STRICT,
                WITHOUT ROWID;
            CREATE TABLE chunk_slice (bytes BLOB NOT NULL, number INTEGER PRIMARY KEY) STRICT;
            CREATE TABLE chunk_use (
                space INTEGER NOT NULL, track BLOB NOT NULL, first TEXT NOT NULL,
                chunk INTEGER NOT NULL, samples INTEGER NOT NULL,
                PRIMARY KEY (space, track, first, chunk)) STRICT, WITHOUT ROWID;
            CREATE INDEX chunk_use_chunk ON chunk_use (chunk);
            CREATE INDEX chunk_wanted ON chunk (space, kind) WHERE bytes IS NULL;
            CREATE TABLE tail (
                number INTEGER PRIMARY KEY, space INTEGER NOT NULL, track BLOB NOT NULL,
                stream INTEGER NOT NULL, first INTEGER NOT NULL, count INTEGER NOT NULL,
                samples BLOB NOT NULL, sum INTEGER NOT NULL,
                lost INTEGER NOT NULL DEFAULT 0) STRICT;
            CREATE INDEX tail_track ON tail (space, track, stream, first);
            CREATE TABLE track (
                space INTEGER NOT NULL, id BLOB NOT NULL, name TEXT, sport TEXT, status TEXT,
                start INTEGER, start_offset INTEGER, start_zone TEXT, finish INTEGER,
                samples INTEGER NOT NULL, points INTEGER NOT NULL, distance REAL NOT NULL,
                missing INTEGER NOT NULL, deleted INTEGER NOT NULL, standing INTEGER NOT NULL,
                notes TEXT,
                south INTEGER, west INTEGER, north INTEGER, east INTEGER,
                unmeasured INTEGER NOT NULL,
                PRIMARY KEY (space, id)) STRICT;
            CREATE INDEX track_start ON track (space, start);
            CREATE TABLE derivation (
                space INTEGER NOT NULL, track BLOB NOT NULL, other BLOB NOT NULL,
                PRIMARY KEY (space, track, other)) STRICT, WITHOUT ROWID;
            CREATE INDEX derivation_other ON derivation (space, other);
            CREATE TABLE unreadable (
                space INTEGER NOT NULL, epoch BLOB NOT NULL, position INTEGER NOT NULL,
                entry BLOB NOT NULL, is_asked INTEGER NOT NULL DEFAULT 0,
                PRIMARY KEY (space, epoch, position)) STRICT, WITHOUT ROWID;
            CREATE VIEW orphan AS
                SELECT q.number, p.id AS space, q.replica AS author, r.id AS replica,
                    q.sequence, q.hash, CASE WHEN q.control >= 0 THEN q.control
                        ELSE 9223372036854775807 END AS rank
                FROM sealed q JOIN replica r ON r.number = q.replica
                JOIN space p ON p.number = q.space
                WHERE q.position IS NULL AND (q.receipt IS NOT NULL OR q.own = 1)
                    AND coalesce(q.pending, '') != '\(RevivedSet.mark)'
                    AND coalesce(q.pending, '') NOT LIKE '\(VoidSets.pattern)'
                    AND (q.reissued = 0
                        OR (q.reissued = 1
                            AND (q.verdict > 0 OR (q.receipt IS NOT NULL
                                AND (q.own = 1 OR q.control < 0)))))
                    AND r.id != (SELECT replica FROM self);
            CREATE TABLE action (
                number INTEGER PRIMARY KEY, space INTEGER NOT NULL, time INTEGER NOT NULL,
                words TEXT NOT NULL, cells BLOB NOT NULL, undone INTEGER NOT NULL DEFAULT 0) STRICT;
            CREATE TABLE breach (
                space INTEGER NOT NULL, kind TEXT NOT NULL, detail TEXT NOT NULL,
                time INTEGER NOT NULL, is_acknowledged INTEGER NOT NULL DEFAULT 0,
                PRIMARY KEY (space, kind, detail)) STRICT, WITHOUT ROWID;
            CREATE TABLE event (
                number INTEGER PRIMARY KEY, time INTEGER NOT NULL, kind TEXT NOT NULL,
                detail TEXT NOT NULL) STRICT;
            """
        ]
    )
}
