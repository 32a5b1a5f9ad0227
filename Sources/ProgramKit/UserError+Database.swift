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
        self.init(.failure, message, hint: hint)
    }

    private static func wordsForDevice(
        _ error: DatabaseError,
        _ wayBack: String
    ) -> (message: String, hint: String?) {
        switch error.kind {
        case .full:
            (
                "the disk is full",
                "make room and run the command again; what was there is safe, and can be read"
            )
        case .busy:
            (
                "another program is still writing to the replica",
                "run the command again once that program has finished"
            )
        case .corrupt: ("the file is damaged: \(error.message)", wayBack)
        case .readOnly:
            (
                "the replica cannot be written",
                "see who owns the data folder and whether it may be written; it can be read"
            )
        case .cannotOpen:
            (
                "the file cannot be opened: \(error.message)",
                "see what it is, who owns the data folder and whether it may be read and written"
            )
        case .failing:
            (
                "the disk answered with an error: \(error.message)",
                "see the system's log and copy the data folder to another disk; what was "
                    + "confirmed before is in it"
            )
        case .other: ("the database answered: \(error.message)", nil)
        }
    }

    private static func wordsForServer(
        _ error: DatabaseError,
        _ wayBack: String
    ) -> (message: String, hint: String?) {
        switch error.kind {
        case .corrupt: ("store.db is damaged: \(error.message)", wayBack)
        case .full:
            ("the disk is full, so store.db cannot be opened", "make room; what is stored is safe")
        case .readOnly, .cannotOpen:
            (
                "cannot open store.db for writing: \(error.message)",
                "see who owns the folder and whether it may be written"
            )
        case .failing:
            (
                "the disk answered with an error, so nothing more is stored: \(error.message)",
                "see the system's log; what was acknowledged before is in store.db and store.db-wal"
            )
        case .busy:
            ("store.db is locked by another program", "stop that, and start the server again")
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
                    "a newer wake wrote it (version \(version), this one knows \(known))",
                    "install the newer wake; nothing was touched"
                )
            case (.newer(let version, let known), .server):
                (
                    "the store has version \(version), this program knows versions up to \(known)",
                    "run the newer wake-server"
                )
            case (.foreign, .device):
                (
                    "it is a database of another program, or its -wal file is",
                    "give another folder with --data DIR, or move the -wal file aside; nothing was "
                        + "touched"
                )
            case (.foreign, .server):
                (
                    "store.db is a database of another program, or store.db-wal is",
                    "give another --data, or move store.db-wal aside; nothing was touched"
                )
            }
        self.init(.failure, message, hint: hint)
    }
}
