/// A JSON value for which the protocol has no type of its own.
enum JSONValue: Hashable, Sendable {
    case text(String)
    case number(Int64)
    case flag(Bool)
    case list([JSONValue])
    case object([String: JSONValue])

    static func texts(_ texts: some Sequence<String>) -> JSONValue {
        .list(texts.map(JSONValue.text))
    }
}

extension JSONValue: Encodable {
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .text(let text): try container.encode(text)
        case .number(let number): try container.encode(number)
        case .flag(let flag): try container.encode(flag)
        case .list(let list): try container.encode(list)
        case .object(let object): try container.encode(object)
        }
    }
}

extension JSONValue: ExpressibleByStringLiteral {
    init(stringLiteral text: String) { self = .text(text) }
}

extension JSONValue: ExpressibleByIntegerLiteral {
    init(integerLiteral number: Int64) { self = .number(number) }
}

extension JSONValue: ExpressibleByBooleanLiteral {
    init(booleanLiteral flag: Bool) { self = .flag(flag) }
}

extension JSONValue: ExpressibleByArrayLiteral {
    init(arrayLiteral list: JSONValue...) { self = .list(list) }
}

extension JSONValue: ExpressibleByDictionaryLiteral {
    init(dictionaryLiteral members: (String, JSONValue)...) {
        self = .object(Dictionary(uniqueKeysWithValues: members))
    }
}
