/// One SQL statement with its values: `"SELECT name FROM place WHERE id = \(id)"`.
///
/// Each interpolation is a bound parameter, never text of the statement, so no value can change
/// what a statement does.
package struct SQL: Sendable, ExpressibleByStringInterpolation {
    /// The text between the values, in order; the last may be missing.
    var parts: [String]
    private(set) var values: [SQLiteValue]

    package init(stringLiteral text: String) { (parts, values) = ([text], []) }

    package init(stringInterpolation interpolation: StringInterpolation) {
        (parts, values) = (interpolation.parts, interpolation.values)
    }

    /// The statement as SQLite reads it, with the parameters `?1`, `?2`, ….
    var text: String {
        parts.enumerated().reduce(into: "") { text, part in
            text += part.element
            if part.offset < values.count { text += "?\(part.offset + 1)" }
        }
    }

    /// Collects the parts of a literal.
    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var parts: [String] = []
        fileprivate var values: [SQLiteValue] = []

        package init(literalCapacity: Int, interpolationCount: Int) {
            parts.reserveCapacity(interpolationCount + 1)
            values.reserveCapacity(interpolationCount)
        }

        package mutating func appendLiteral(_ text: String) { parts.append(text) }

        package mutating func appendInterpolation(_ value: (some SQLiteConvertible)?) {
            values.append(value?.sqliteValue ?? .null)
            precondition(parts.count == values.count, "text before each value")
        }
    }
}
