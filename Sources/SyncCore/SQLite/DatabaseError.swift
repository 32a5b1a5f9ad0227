/// What SQLite answered instead of doing its work.
public struct DatabaseError: Error, Equatable {
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
        default: .other
        }
    }
}
