@testable import SyncCore
import Testing

extension TestDevice {
    /// Flips bits of a number, or of bytes, in the first row of a table that meets a condition.
    func flip(
        _ bits: [Int],
        of column: String,
        in table: String,
        where condition: String = "true"
    ) async throws {
        try await replica.write {
            let database = $0.lineage.database
            let place = "FROM \(table) WHERE \(condition) LIMIT 1"
            let stored = try database.first(
                SQL(stringLiteral: "SELECT \(column), typeof(\(column)) \(place)")
            ) { (bytes: $0.blob(0), number: $0.integer(0), isNumber: $0.text(1) == "integer") }
            let found = try #require(stored)
            var (bytes, number) = (found.bytes, found.number)
            for bit in bits where found.isNumber { number ^= 1 << Int64(bit) }
            for bit in bits where !found.isNumber { bytes[bit / 8] ^= 1 << (bit % 8) }
            let literal = found.isNumber ? "\(number)" : "x'\(bytes.hexadecimal)'"
            let update = "UPDATE \(table) SET \(column) = \(literal) WHERE \(condition)"
            try database.run(SQL(stringLiteral: update))
        }
    }
}
