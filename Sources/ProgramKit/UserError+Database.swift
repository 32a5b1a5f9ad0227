package import SyncCore

/// The owner of a database, which determines the wording of its errors.
package enum DatabaseOwner: Sendable {
    /// A device's replica.
    case device
    /// A server's store.
    case server
}

extension UserError {
    /// Describes a database error.
    ///
    /// - Parameter wayBack: the hint for a damaged database.
    package init(_ error: DatabaseError, of owner: DatabaseOwner, wayBack: String) {
        let (message, hint) =
            switch owner {
            case .device: Self.wordsForDevice(error, wayBack)
            case .server: Self.wordsForServer(error, wayBack)
            }
        self = .failure(message, hint: hint)
    }

    private static func wordsForDevice(
        _ error: DatabaseError,
        _ wayBack: String
    ) -> (message: String, hint: String?) {
        switch error.kind {
        case .full:
            (
                "the disk is full",
                "free disk space and run the command again; existing data is safe and can be read"
            )
        case .busy:
            (
                "another program is still writing to the replica",
                "run the command again once that program has finished"
            )
        case .corrupt: ("the file is damaged: \(error.message)", wayBack)
        case .readOnly:
            (
                "the replica is not writable",
                "check the owner and permissions of the data folder; reading still works"
            )
        case .cannotOpen:
            (
                "the file cannot be opened: \(error.message)",
                "check that it is a file, and the owner and permissions of the data folder"
            )
        case .failing:
            (
                "the disk reported an error: \(error.message)",
                "check the system's log and copy the data folder to another disk; it contains all "
                    + "that was confirmed before"
            )
        case .other: ("database error: \(error.message)", nil)
        }
    }

    private static func wordsForServer(
        _ error: DatabaseError,
        _ wayBack: String
    ) -> (message: String, hint: String?) {
        switch error.kind {
        case .corrupt: ("store.db is damaged: \(error.message)", wayBack)
        case .full:
            ("cannot open store.db: the disk is full", "free disk space; stored data is safe")
        case .readOnly, .cannotOpen:
            (
                "cannot open store.db for writing: \(error.message)",
                "check the owner and permissions of the folder"
            )
        case .failing:
            (
                "the disk reported an error, so the server stores nothing more: \(error.message)",
                "check the system's log; store.db and store.db-wal contain all acknowledged data"
            )
        case .busy:
            ("another program has locked store.db", "stop it, then start the server again")
        case .other: ("cannot use store.db: \(error.message)", nil)
        }
    }
}

extension UserError {
    /// Describes why a database belongs to another program or a newer version.
    package init(_ error: MigrationError, of owner: DatabaseOwner) {
        let (message, hint) =
            switch (error, owner) {
            case (.newer(let version, let known), .device):
                (
                    "a newer wake wrote it (version \(version); this one supports up to \(known))",
                    "install the newer wake; nothing was changed"
                )
            case (.newer(let version, let known), .server):
                (
                    "the store has version \(version); this program supports versions up to \(known)",
                    "use the newer wake-server"
                )
            case (.foreign, .device):
                (
                    "it or its -wal file belongs to another program",
                    "use another folder with --data DIR, or move the -wal file away; nothing was "
                        + "changed"
                )
            case (.foreign, .server):
                (
                    "store.db or store.db-wal belongs to another program",
                    "use another --data DIR, or move store.db-wal away; nothing was changed"
                )
            }
        self = .failure(message, hint: hint)
    }
}
