import Testing

@testable import SyncCore

extension Database {
    /// Flips bits of a number, or of bytes, in the rows of a table that meet a condition; the bits are
    /// those of the first such row.
    func flip(
        _ bits: [Int],
        of column: String,
        in table: String,
        where condition: String = "true"
    ) throws {
        let place = "FROM \(table) WHERE \(condition) LIMIT 1"
        let stored = try first(
            SQL(stringLiteral: "SELECT \(column), typeof(\(column)) \(place)")
        ) { (bytes: $0.blob(0), number: $0.integer(0), isNumber: $0.text(1) == "integer") }
        let found = try #require(stored)
        var (bytes, number) = (found.bytes, found.number)
        for bit in bits where found.isNumber { number ^= 1 << Int64(bit) }
        for bit in bits where !found.isNumber { bytes[bit / 8] ^= 1 << (bit % 8) }
        let literal = found.isNumber ? "\(number)" : "x'\(bytes.hexadecimal)'"
        let update = "UPDATE \(table) SET \(column) = \(literal) WHERE \(condition)"
        try run(SQL(stringLiteral: update))
    }
}

extension TestDevice {
    /// Flips bits of a value in the device's database.
    func flip(
        _ bits: [Int],
        of column: String,
        in table: String,
        where condition: String = "true"
    ) async throws {
        try await replica.write {
            try $0.lineage.database.flip(bits, of: column, in: table, where: condition)
        }
    }
}
