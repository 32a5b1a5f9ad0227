/// A value on its way into a statement.
package enum SQLiteValue: Sendable, Hashable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])
}

extension SQLiteValue {
    /// An unsigned number below 2^63: stamps, sequences and positions.
    package static func unsigned(_ number: UInt64) -> SQLiteValue {
        .integer(Int64(number))
    }

    /// A whole number.
    package static func count(_ number: Int) -> SQLiteValue {
        .integer(Int64(number))
    }

    /// The 16 bytes of an identifier.
    package static func id(_ id: Identifier) -> SQLiteValue {
        .blob(id.bytes)
    }

    /// The 32 bytes of a digest.
    package static func digest(_ digest: Digest) -> SQLiteValue {
        .blob(digest.bytes)
    }

    /// Null where there is none.
    package static func optional<Wrapped>(
        _ value: Wrapped?,
        _ make: (Wrapped) -> SQLiteValue
    ) -> SQLiteValue {
        value.map(make) ?? .null
    }
}
