internal import CSQLite

/// One prepared statement of a ``Database``, bound, stepped and read by it alone.
package final class Statement {
    private let handle: csqlite_statement
    private let database: csqlite_connection
    private let sql: String
    /// What it was made of; see ``SQL``.
    let parts: [String]
    /// Whether its rows are being read.
    var isInUse = false

    init(_ sql: SQL, on database: csqlite_connection) throws(DatabaseError) {
        let text = sql.text
        var code = CSQLITE_OK
        guard let handle = csqlite_prepare(database, text, &code) else {
            throw DatabaseError(code: code, on: database, sql: text)
        }
        self.handle = handle
        self.database = database
        self.sql = text
        parts = sql.parts
    }

    deinit { csqlite_finalize(handle) }

    func bind(_ values: [SQLiteValue]) throws(DatabaseError) {
        for (offset, value) in values.enumerated() {
            let code = bind(value, at: Int32(offset + 1))
            guard code == CSQLITE_OK else {
                throw DatabaseError(code: code, on: database, sql: sql)
            }
        }
    }

    private func bind(_ value: SQLiteValue, at index: Int32) -> Int32 {
        switch value {
        case .null: csqlite_bind_null(handle, index)
        case .integer(let number): csqlite_bind_integer(handle, index, number)
        case .real(let number): csqlite_bind_real(handle, index, number)
        case .text(let text): unsafe csqlite_bind_text(handle, index, text, text.count)
        case .blob(let bytes): unsafe csqlite_bind_blob(handle, index, bytes, bytes.count)
        }
    }

    /// Moves to the next row; returns false after the last.
    func step() throws(DatabaseError) -> Bool {
        let code = csqlite_step(handle)
        switch code {
        case CSQLITE_ROW: return true
        case CSQLITE_DONE: return false
        default: throw DatabaseError(code: code, on: database, sql: sql)
        }
    }

    func reset() { csqlite_reset(handle) }

    package func isNull(_ column: Int32) -> Bool { csqlite_is_null(handle, column) }

    package func integer(_ column: Int32) -> Int64 { csqlite_integer(handle, column) }

    /// Returns an unsigned number below 2^63; a negative one gives 0.
    package func unsigned(_ column: Int32) -> UInt64 { UInt64(clamping: integer(column)) }

    package func real(_ column: Int32) -> Double { csqlite_real(handle, column) }

    /// Returns a copy of the bytes; empty for null.
    package func blob(_ column: Int32) -> [UInt8] { unsafe Array(bytes(column)) }

    /// Returns the bytes, which are valid until the next step; empty for null.
    private func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
        var count = 0
        let start = unsafe csqlite_blob(handle, column, &count)
        return unsafe UnsafeRawBufferPointer(start: start, count: count)
    }

    /// Returns the text; empty for null.
    package func text(_ column: Int32) -> String {
        var count = 0
        guard let text = unsafe csqlite_text(handle, column, &count) else { return "" }
        return unsafe String(
            decoding: UnsafeBufferPointer(start: text, count: count),
            as: UTF8.self
        )
    }

    /// Returns an identifier; zero for null or bytes of another length.
    package func id(_ column: Int32) -> Identifier {
        unsafe Identifier(bytes: bytes(column)) ?? .zero
    }

    /// Returns a digest; zero for null or bytes of another length.
    package func digest(_ column: Int32) -> Digest { unsafe Digest(bytes: bytes(column)) ?? .zero }
}
