internal import CSQLite

/// One prepared statement of a ``Database``, bound, stepped and read by it alone.
///
/// Parameters are written `$1`, `$2`, … as PostgreSQL has them; SQLite takes these as names, so
/// each is bound through its index, which is looked up once.
@safe package final class Statement {
    private let handle: OpaquePointer
    private let database: OpaquePointer
    private let sql: String
    /// The index of each parameter, in the order of the numbers.
    private let parameters: [Int32]
    /// Whether its rows are being read.
    var isInUse = false

    init(_ sql: String, on database: OpaquePointer) throws(DatabaseError) {
        var handle: OpaquePointer?
        let code = unsafe sqlite3_prepare_v3(
            database,
            sql,
            -1,
            UInt32(SQLITE_PREPARE_PERSISTENT),
            &handle,
            nil
        )
        guard code == SQLITE_OK, let handle = unsafe handle else {
            throw unsafe DatabaseError(code: code, on: database, sql: sql)
        }
        unsafe self.handle = handle
        unsafe self.database = database
        self.sql = sql
        let count = unsafe sqlite3_bind_parameter_count(handle)
        parameters = (0..<count).map { index in
            let parameter = unsafe sqlite3_bind_parameter_index(handle, "$\(index + 1)")
            precondition(parameter > 0, "no parameter $\(index + 1) in: \(sql)")
            return parameter
        }
    }

    deinit {
        unsafe sqlite3_finalize(handle)
    }

    func bind(_ values: [SQLiteValue]) throws(DatabaseError) {
        precondition(parameters.count == values.count, "\(values.count) values for: \(sql)")
        for (parameter, value) in zip(parameters, values) {
            try check(bind(value, at: parameter))
        }
    }

    private func bind(_ value: SQLiteValue, at index: Int32) -> Int32 {
        switch value {
        case .null: unsafe sqlite3_bind_null(handle, index)
        case .integer(let number): unsafe sqlite3_bind_int64(handle, index, number)
        case .real(let number): unsafe sqlite3_bind_double(handle, index, number)
        case .text(let text):
            unsafe sqlite3_bind_text(
                handle,
                index,
                text,
                Int32(text.utf8.count),
                csqlite_transient()
            )
        case .blob(let bytes) where bytes.isEmpty:
            unsafe sqlite3_bind_zeroblob(handle, index, 0)
        case .blob(let bytes):
            unsafe sqlite3_bind_blob64(
                handle,
                index,
                bytes,
                UInt64(bytes.count),
                csqlite_transient()
            )
        }
    }

    /// Moves to the next row; false after the last.
    func step() throws(DatabaseError) -> Bool {
        let code = unsafe sqlite3_step(handle)
        switch code {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw unsafe DatabaseError(code: code, on: database, sql: sql)
        }
    }

    /// Makes the statement ready for its next use.
    func reset() {
        unsafe sqlite3_reset(handle)
        unsafe sqlite3_clear_bindings(handle)
    }

    private func check(_ code: Int32) throws(DatabaseError) {
        guard code == SQLITE_OK else {
            throw unsafe DatabaseError(code: code, on: database, sql: sql)
        }
    }
}

extension Statement {
    /// Whether a column of the current row is null.
    package func isNull(_ column: Int32) -> Bool {
        unsafe sqlite3_column_type(handle, column) == SQLITE_NULL
    }

    /// A whole number.
    package func integer(_ column: Int32) -> Int64 {
        unsafe sqlite3_column_int64(handle, column)
    }

    /// A whole number that was stored as one below 2^63.
    package func unsigned(_ column: Int32) -> UInt64 {
        UInt64(clamping: integer(column))
    }

    /// A floating-point number.
    package func real(_ column: Int32) -> Double {
        unsafe sqlite3_column_double(handle, column)
    }

    /// A copy of the bytes; none for null.
    package func blob(_ column: Int32) -> [UInt8] {
        unsafe Array(bytes(column))
    }

    /// The bytes until the next step; none for null.
    private func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
        let start = unsafe sqlite3_column_blob(handle, column)
        let count = unsafe Int(sqlite3_column_bytes(handle, column))
        return unsafe UnsafeRawBufferPointer(start: start, count: count)
    }

    /// The text; empty for null.
    package func text(_ column: Int32) -> String {
        guard let text = unsafe sqlite3_column_text(handle, column) else { return "" }
        let count = unsafe Int(sqlite3_column_bytes(handle, column))
        return unsafe String(
            decoding: UnsafeBufferPointer(start: text, count: count),
            as: UTF8.self
        )
    }

    /// An identifier; zero for null or anything that is none.
    package func id(_ column: Int32) -> Identifier {
        unsafe Identifier(bytes: bytes(column)) ?? .zero
    }

    /// A digest; zero for null or anything that is none.
    package func digest(_ column: Int32) -> Digest {
        unsafe Digest(bytes: bytes(column)) ?? .zero
    }
}
