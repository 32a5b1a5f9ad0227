import SyncCore

extension Database {
    /// Flips one bit of a value in one of the tables; returns the place of the value, or nil if nothing
    /// was changed.
    func flipValue(using random: inout SplitMix64) throws -> String? {
        let tables = try all(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
        ) { $0.text(0) }.sorted()
        let table = tables[Int.random(in: 0..<tables.count, using: &random)]
        let columns = try all("SELECT name FROM pragma_table_info(\(table))") { $0.text(0) }
        let count = try integer("SELECT count(*) FROM \(table)")
        guard count > 0 else { return nil }
        let place = Int64.random(in: 0..<count, using: &random)
        let quoted = columns.map { "quote(\"\($0)\")" }.joined(separator: ", ")
        let row = try first(
            SQL(stringLiteral: "SELECT \(quoted) FROM \(table) LIMIT 1 OFFSET \(place)")
        ) { row in columns.indices.map { row.text(Int32($0)) } }
        let index = Int.random(in: 0..<columns.count, using: &random)
        guard let row, let flipped = Self.flipping(row[index], using: &random) else { return nil }
        let condition = zip(columns, row).map { "\"\($0)\" IS \($1)" }.joined(separator: " AND ")
        // SQLite could not have stored a value that violates a constraint.
        let sql =
            "UPDATE OR IGNORE \(table) SET \"\(columns[index])\" = \(flipped) WHERE \(condition)"
        guard try run(SQL(stringLiteral: sql)) > 0 else { return nil }
        return "\(table).\(columns[index])"
    }

    private func integer(_ sql: String) throws -> Int64 {
        try first(SQL(stringLiteral: sql)) { $0.integer(0) } ?? 0
    }

    /// A literal of SQL with one bit of its value flipped; nil for null, numbers with a point, and what
    /// is empty.
    private static func flipping(_ literal: String, using random: inout SplitMix64) -> String? {
        if let number = Int64(literal) {
            let width = 64 - number.magnitude.leadingZeroBitCount
            return "\(number ^ 1 << Int64.random(in: 0..<Int64(max(8, width)), using: &random))"
        }
        let isBlob = literal.hasPrefix("X'")
        guard isBlob || literal.hasPrefix("'"), literal.last == "'" else { return nil }
        var characters = Array(literal.utf8)
        let range = (isBlob ? 2 : 1)..<characters.count - 1
        guard !range.isEmpty else { return nil }
        let index = Int.random(in: range, using: &random)
        guard isBlob else {
            // The case of a letter, so that the text stays one.
            guard characters[index] >= 64, characters[index] < 128 else { return nil }
            characters[index] ^= 32
            return String(decoding: characters, as: UTF8.self)
        }
        guard let digit = Character(UnicodeScalar(characters[index])).hexDigitValue else {
            return nil
        }
        let other = digit ^ 1 << Int.random(in: 0..<4, using: &random)
        characters[index] = Array(String(other, radix: 16).utf8)[0]
        return String(decoding: characters, as: UTF8.self)
    }
}
