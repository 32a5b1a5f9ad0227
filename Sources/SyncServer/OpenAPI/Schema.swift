internal import SyncCore

/// The schema of a JSON value (JSON Schema 2020-12, as used by OpenAPI 3.1).
struct Schema: Hashable, Sendable {
    let members: [String: JSONValue]
    /// The name under which the document's components have it; nil for an inline schema.
    var name: String?

    private init(_ members: [String: JSONValue]) { self.members = members }

    func named(_ name: String) -> Schema {
        var schema = self
        schema.name = name
        return schema
    }

    /// A reference to the named schema, or the schema itself.
    var reference: JSONValue {
        name.map { ["$ref": .text("#/components/schemas/\($0)")] } ?? .object(members)
    }
}

extension Schema {
    /// Returns text of at most `byteLimit` bytes.
    ///
    /// `maxLength` counts characters, so the description states the limit in bytes.
    static func text(byteLimit: Int) -> Schema {
        Schema([
            "type": "string", "maxLength": .number(Int64(byteLimit)),
            "description": .text("at most \(byteLimit) bytes of UTF-8"),
        ])
    }

    static let text = Schema(["type": "string"])

    static func text(matching pattern: String) -> Schema {
        Schema(["type": "string", "pattern": .text(pattern)])
    }

    static func choice(_ words: some Sequence<String>) -> Schema {
        Schema(["type": "string", "enum": .texts(words)])
    }

    static let flag = Schema(["type": "boolean"])

    static func integer(_ range: ClosedRange<Int64>) -> Schema {
        Schema([
            "type": "integer", "minimum": .number(range.lowerBound),
            "maximum": .number(range.upperBound),
        ])
    }

    static let count = Schema(["type": "integer", "minimum": 0])

    static let time = Schema(["type": "integer", "description": "Unix milliseconds"])

    /// Returns a list schema, with a maximum length if `limit` is given.
    static func list(of element: Schema, limit: Int? = nil) -> Schema {
        var members: [String: JSONValue] = ["type": "array", "items": element.reference]
        members["maxItems"] = limit.map { .number(Int64($0)) }
        return Schema(members)
    }

    /// Returns an object schema; unknown members are ignored, so that later versions can add some.
    static func object(_ properties: [String: Schema], optional: Set<String> = []) -> Schema {
        Schema([
            "type": "object", "properties": .object(properties.mapValues(\.reference)),
            "required": .texts(properties.keys.filter { !optional.contains($0) }.sorted()),
        ])
    }

    /// Returns a schema for an object with arbitrary names and values of one schema.
    static func table(of value: Schema) -> Schema {
        Schema(["type": "object", "additionalProperties": value.reference])
    }

    static let anyObject = Schema(["type": "object"])

    /// An ``Identifier`` as text: 128 bits in lower-case Crockford base32.
    static let identifier = text(matching: "^[0-7][0-9a-hjkmnp-tv-z]{25}$")

    /// A ``Digest`` as text: 64 lower-case hexadecimal digits.
    static let hash = text(matching: "^[0-9a-f]{64}$")

    /// Returns a schema for `count` bytes in canonical base64url without padding.
    ///
    /// `count` must not be a multiple of three.
    static func base64url(bytes count: Int) -> Schema {
        let (groups, rest) = count.quotientAndRemainder(dividingBy: 3)
        precondition(rest > 0, "no key or hash has \(count) bytes")
        let end = rest == 1 ? "[AQgw]" : "[A-Za-z0-9_-][AEIMQUYcgkosw048]"
        return text(matching: "^[A-Za-z0-9_-]{\(groups * 4 + 1)}\(end)$")
    }
}
