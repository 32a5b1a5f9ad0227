internal import SyncCore

/// The shape of a JSON value (JSON Schema 2020-12, as OpenAPI 3.1 has it).
struct Schema: Hashable, Sendable {
    /// The keywords.
    let members: [String: JSONValue]
    /// Under which name the document has it once, nil where it stands in its place.
    var name: String?

    private init(_ members: [String: JSONValue]) {
        self.members = members
    }

    /// The same shape under a name.
    func named(_ name: String) -> Schema {
        var schema = self
        schema.name = name
        return schema
    }

    /// A reference to the named shape, or the shape.
    var reference: JSONValue {
        name.map { ["$ref": .text("#/components/schemas/\($0)")] } ?? .object(members)
    }
}

extension Schema {
    /// Text of so many bytes: `maxLength`, which counts characters, cannot say it alone.
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

    /// One of these words.
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

    /// Zero or more.
    static let count = Schema(["type": "integer", "minimum": 0])

    /// Unix milliseconds.
    static let time = Schema(["type": "integer", "description": "Unix milliseconds"])

    /// A list, at most so long where there is a limit.
    static func list(of element: Schema, limit: Int? = nil) -> Schema {
        var members: [String: JSONValue] = ["type": "array", "items": element.reference]
        members["maxItems"] = limit.map { .number(Int64($0)) }
        return Schema(members)
    }

    /// An object; members that it does not name are ignored, so that later versions can add some.
    static func object(
        _ properties: [String: Schema],
        optional: Set<String> = []
    ) -> Schema {
        Schema([
            "type": "object", "properties": .object(properties.mapValues(\.reference)),
            "required": .texts(properties.keys.filter { !optional.contains($0) }.sorted()),
        ])
    }

    /// An object with any names, all of one shape.
    static func table(of value: Schema) -> Schema {
        Schema(["type": "object", "additionalProperties": value.reference])
    }

    /// Any object.
    static let anyObject = Schema(["type": "object"])

    /// An ``Identifier`` as it is shown: 128 bits in lower-case Crockford base32.
    static let identifier = text(matching: "^[0-7][0-9a-hjkmnp-tv-z]{25}$")

    /// A ``Digest`` as it is shown: 64 lower-case hexadecimal digits.
    static let hash = text(matching: "^[0-9a-f]{64}$")

    /// So many bytes, not a multiple of three, in base64url without padding or stray bits.
    static func base64url(bytes count: Int) -> Schema {
        let (groups, rest) = count.quotientAndRemainder(dividingBy: 3)
        precondition(rest > 0, "no key or hash has \(count) bytes")
        let end = rest == 1 ? "[AQgw]" : "[A-Za-z0-9_-][AEIMQUYcgkosw048]"
        return text(matching: "^[A-Za-z0-9_-]{\(groups * 4 + 1)}\(end)$")
    }
}
