internal import CSQLite
internal import Glibc

/// What SQLite answered instead of doing its work.
public struct DatabaseError: Error, Hashable {
    /// The extended result code (sqlite.org/rescode.html).
    public let code: Int32
    /// SQLite's own words.
    public let message: String
    /// The statement, nil where there was none.
    public let sql: String?

    /// What a caller can do about it.
    public enum Kind: Sendable {
        /// The disk or the quota is full.
        case full
        /// Another process holds the lock for too long.
        case busy
        /// The file is damaged, or is no database.
        case corrupt
        /// The file or its folder cannot be written.
        case readOnly
        /// The file cannot be opened.
        case cannotOpen
        /// The disk answered with an error: nobody can tell what of the last write is durable.
        case failing
        /// Anything else.
        case other
    }

    /// The kind of the code.
    public var kind: Kind {
        switch code & 0xff {
        case 13: .full
        case 5, 6: .busy
        case 11, 26: .corrupt
        case 8: .readOnly
        case 14: .cannotOpen
        case 10: .failing
        default: .other
        }
    }
}

extension DatabaseError {
    /// The last error of a connection.
    ///
    /// SQLite tells a full disk of a write into the file, but not of one into the index that its
    /// processes share, nor of a quota.
    init(code: Int32, on database: csqlite_connection?, sql: String?) {
        let message = database.map { unsafe String(cString: csqlite_message($0)) }
        let reason = database.map { csqlite_system_error($0) } ?? 0
        self.init(
            code: Self.isFull(code, reason: reason) ? CSQLITE_FULL : code,
            message: message ?? "out of memory",
            sql: sql
        )
    }

    /// Whether an error of the disk, with the system's reason, is a lack of room.
    ///
    /// One of an fsync never is: what the system dropped then, no later fsync makes durable.
    static func isFull(_ code: Int32, reason: Int32) -> Bool {
        guard code & 0xff == CSQLITE_IOERR, !fsyncs.contains(code) else { return false }
        return code == CSQLITE_IOERR_SHMSIZE || reason == ENOSPC || reason == EDQUOT
    }

    /// What a write finds that has no room.
    package static let full = DatabaseError(
        code: CSQLITE_FULL,
        message: "no room on the disk",
        sql: nil
    )

    private static let fsyncs = [CSQLITE_IOERR_FSYNC, CSQLITE_IOERR_DIR_FSYNC]
}
