internal import CSQLite
internal import Glibc

/// An error of SQLite.
public struct DatabaseError: Error, Hashable {
    /// The extended result code (sqlite.org/rescode.html).
    public let code: Int32
    /// SQLite's error message.
    public let message: String
    /// The statement, or nil if the error concerns none.
    public let sql: String?

    /// The kinds of errors that callers distinguish.
    public enum Kind: Sendable {
        /// The disk or the quota is full.
        case full
        /// Another process held the lock for too long.
        case busy
        /// The file is damaged or is no database.
        case corrupt
        /// The file or its folder is not writable.
        case readOnly
        /// The file cannot be opened.
        case cannotOpen
        /// An I/O error.
        ///
        /// It is unknown how much of the last write is durable.
        case failing
        /// Any other error.
        case other
    }

    /// The kind of the code.
    public var kind: Kind {
        switch code & 0xff {
        case 13: .full
        case 5, 6: .busy
        case 11, 26: .corrupt
        case 8: .readOnly
        case CSQLITE_CANTOPEN: .cannotOpen
        case 10: .failing
        default: .other
        }
    }
}

extension DatabaseError {
    /// Creates the last error of a connection.
    ///
    /// SQLite reports a full disk as `SQLITE_FULL` only for writes to the file. A full disk for the
    /// shared-memory index, or a full quota, is an I/O error and is converted here.
    init(code: Int32, on database: csqlite_connection?, sql: String?) {
        let message = database.map { unsafe String(cString: csqlite_message($0)) }
        let reason = database.map { csqlite_system_error($0) } ?? 0
        self.init(
            code: Self.isFull(code, reason: reason) ? CSQLITE_FULL : code,
            message: message ?? "out of memory",
            sql: sql
        )
    }

    /// Returns whether an I/O error with this errno is a lack of space.
    ///
    /// An error of fsync never is: no later fsync makes the dropped data durable.
    static func isFull(_ code: Int32, reason: Int32) -> Bool {
        guard code & 0xff == CSQLITE_IOERR, !fsyncs.contains(code) else { return false }
        return code == CSQLITE_IOERR_SHMSIZE || reason == ENOSPC || reason == EDQUOT
    }

    /// The error of a write without space on the disk.
    package static let full = DatabaseError(
        code: CSQLITE_FULL,
        message: "no room on the disk",
        sql: nil
    )

    private static let fsyncs = [CSQLITE_IOERR_FSYNC, CSQLITE_IOERR_DIR_FSYNC]
}
