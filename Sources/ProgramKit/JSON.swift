/// A JSON document (RFC 8259) that preserves the order of object members.
package enum JSON: Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    /// A number rounded to this many decimals, or `null` if it is not finite.
    case number(Double, decimals: Int)
    case text(String)
    case array([JSON])
    case object([(String, JSON)])
}

extension JSON {
    /// Text, or `null` for nil.
    package static func text(_ text: String?) -> JSON { text.map { .text($0) } ?? .null }

    /// A whole number, clamped to 64 bits.
    package static func integer(_ number: some BinaryInteger) -> JSON {
        .integer(Int64(clamping: number))
    }

    /// A number rounded to this many decimals, or `null` for nil.
    package static func number(_ number: Double?, decimals: Int) -> JSON {
        number.map { .number($0, decimals: decimals) } ?? .null
    }

    /// The document in one line, without spaces.
    package var compact: String {
        var text = ""
        write(to: &text, indent: nil)
        return text
    }

    /// The document indented by two spaces a level.
    package var indented: String {
        var text = ""
        write(to: &text, indent: 0)
        return text
    }

    private func write(to text: inout String, indent: Int?) {
        switch self {
        case .null: text += "null"
        case .bool(let value): text += value ? "true" : "false"
        case .integer(let value): text += String(value)
        case .number(let value, let decimals): text += Self.digits(value, decimals: decimals)
        case .text(let value): Self.quote(value, to: &text)
        case .array(let values):
            Self.list(values, between: "[]", to: &text, indent: indent) { value, text, indent in
                value.write(to: &text, indent: indent)
            }
        case .object(let members):
            Self.list(members, between: "{}", to: &text, indent: indent) { member, text, indent in
                Self.quote(member.0, to: &text)
                text += indent == nil ? ":" : ": "
                member.1.write(to: &text, indent: indent)
            }
        }
    }

    private static func list<Item>(
        _ items: [Item],
        between brackets: String,
        to text: inout String,
        indent: Int?,
        item: (Item, inout String, Int?) -> Void
    ) {
        text += brackets.prefix(1)
        for (index, value) in items.enumerated() {
            if index > 0 { text += "," }
            if let indent { text += "\n" + String(repeating: "  ", count: indent + 1) }
            item(value, &text, indent.map { $0 + 1 })
        }
        if let indent, !items.isEmpty { text += "\n" + String(repeating: "  ", count: indent) }
        text += brackets.suffix(1)
    }

    /// The fewest digits that express the rounded number.
    ///
    /// A number that does not fit 64 bits with its decimals is not rounded and may get an exponent.
    private static func digits(_ value: Double, decimals: Int) -> String {
        guard value.isFinite else { return "null" }
        var digits = value.fixed(decimals)
        guard digits != "–" else { return "\(value)" }
        guard digits.contains(".") else { return digits }
        while digits.hasSuffix("0") { digits.removeLast() }
        return digits.hasSuffix(".") ? String(digits.dropLast()) : digits
    }

    /// Quotes text and escapes control characters, so that the output is safe on a terminal.
    private static func quote(_ value: String, to text: inout String) {
        text += "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case _ where scalar.isUnsafeOnTerminal:
                for unit in UTF16.encode(scalar).map(Array.init) ?? [] {
                    let digits = String(unit, radix: 16)
                    text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}
