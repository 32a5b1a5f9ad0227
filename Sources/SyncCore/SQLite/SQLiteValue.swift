/// A value of a statement's parameter or of a record.
package enum SQLiteValue: Sendable, Hashable {
    case null
    case integer(Int64)
    case real(Double)
    /// UTF-8.
    case text([UInt8])
    case blob([UInt8])
}

/// A type whose values can stand in ``SQL``.
package protocol SQLiteConvertible {
    var sqliteValue: SQLiteValue { get }
}

extension SQLiteValue: SQLiteConvertible {
    package var sqliteValue: SQLiteValue { self }
}

extension Bool: SQLiteConvertible {
    package var sqliteValue: SQLiteValue { .integer(self ? 1 : 0) }
}

extension SQLiteConvertible where Self: BinaryInteger {
    /// The number, which must be below 2^63: stamps, sequences and positions are.
    package var sqliteValue: SQLiteValue { .integer(Int64(self)) }
}

extension Int: SQLiteConvertible {}
extension Int64: SQLiteConvertible {}
extension UInt64: SQLiteConvertible {}

extension Double: SQLiteConvertible {
    package var sqliteValue: SQLiteValue { .real(self) }
}

extension String: SQLiteConvertible {
    package var sqliteValue: SQLiteValue { .text(Array(utf8)) }
}

extension [UInt8]: SQLiteConvertible {
    package var sqliteValue: SQLiteValue { .blob(self) }
}

extension Identifier: SQLiteConvertible {
    package var sqliteValue: SQLiteValue { .blob(bytes) }
}

extension Digest: SQLiteConvertible {
    package var sqliteValue: SQLiteValue { .blob(bytes) }
}
