internal import ProgramKit
internal import SyncCore

/// The OpenAPI 3.1 document of the devices' routes, generated from the routing table.
struct OpenAPI {
    private let operations: [Operation]
    private let limits: [String: Int]

    init(_ operations: [Operation], limits: [String: Int]) {
        self.operations = operations
        self.limits = limits
    }

    var json: JSONValue {
        [
            "openapi": "3.1.0",
            "info": [
                "title": "Wake",
                "version": .text(Version.current),
                "summary": "A server that stores and relays the signed change sets of devices",
                "description": .text(Self.introduction),
                "license": ["name": "MIT", "identifier": "MIT"],
            ],
            "servers": [["url": "/"]],
            "paths": .object(paths),
            "components": [
                "schemas": .object(schemas),
                "responses": .object(refusals),
                "securitySchemes": ["signature": Self.signature],
            ],
            "x-limits": .object(limits.mapValues { .number(Int64($0)) }),
        ]
    }

    private var paths: [String: JSONValue] {
        Dictionary(grouping: operations, by: \.route.path).mapValues { operations in
            var item: [String: JSONValue] = [:]
            for operation in operations {
                item[operation.route.method.lowercased()] = operation.json(isHead: false)
                guard operation.route.method == "GET" else { continue }
                item["head"] = operation.json(isHead: true)
            }
            item["parameters"] = .list(operations[0].parameters.map(Self.parameter))
            return .object(item)
        }
    }

    private var schemas: [String: JSONValue] {
        let contents = operations.flatMap { operation in
            operation.description.gives.map(\.content) + [operation.description.takes?.content]
        }
        var schemas = [Problem.schema]
        for case .json(let schema) in contents { schemas.append(schema) }
        let named = schemas.compactMap { schema in schema.name.map { ($0, schema.members) } }
        return Dictionary(named) { first, _ in first }.mapValues(JSONValue.object)
    }

    /// The problem responses, by ``Refusal/name``.
    private var refusals: [String: JSONValue] {
        let all = operations.flatMap(\.refusals) + [Refusal(types: [.methodNotAllowed])]
        return Dictionary(all.map { ($0.name, $0.json) }) { first, _ in first }
    }

    private static func parameter(_ name: String) -> JSONValue {
        let schemas: [String: Schema] = [
            "space": .identifier, "device": .identifier, "token": .hash, "hash": .hash,
            "replica": .identifier, "sequence": .text(matching: "^[1-9][0-9]{0,18}$"),
        ]
        guard let schema = schemas[name] else { preconditionFailure("{\(name)} has no shape") }
        return ["name": .text(name), "in": "path", "required": true, "schema": schema.reference]
    }

    private static let introduction = """
        Identifiers are 128 bits in lower-case Crockford base32. Hashes are SHA-256 in \
        hexadecimal, other bytes base64url without padding, times Unix milliseconds. Members that \
        this description does not name are ignored. No path takes a query. A method that a path \
        does not support, also OPTIONS, gets 405 with `allow`. A body without `content-type` is \
        assumed to have the expected type; a body has no `content-encoding`. Errors are problem \
        documents (RFC 9457); the description of the protocol says how a client handles each.
        """

    private static let signature: JSONValue = [
        "type": "apiKey",
        "in": "header",
        "name": "signature",
        "description": .text(
            """
            An HTTP message signature (RFC 9421) by the device's request key, `hmac-sha256`, under \
            the label `wake`, over "@method" "@authority" "@path" "@query" "content-digest" with \
            the parameters created, nonce, keyid (the device), alg and tag ("wake"), in this order. \
            `signature-input` and `content-digest` (RFC 9530, sha-256) accompany it. It is valid \
            for \(RequestSignature.windowSeconds) seconds before and after the server's time.
            """
        ),
    ]
}

/// The problems of one operation that share a status.
private struct Refusal {
    /// Sorted by their raw values.
    let types: [ProblemType]

    var status: Int { types[0].status }

    /// The key under which the document's components have it.
    var name: String { types.map(\.rawValue).joined(separator: "-or-") }

    var reference: JSONValue { ["$ref": .text("#/components/responses/\(name)")] }

    var json: JSONValue {
        [
            "description": .text(types.map(\.title).joined(separator: "; or: ")),
            "headers": fields.json,
            "content": [
                "application/problem+json": [
                    "schema": [
                        "allOf": [
                            Problem.schema.reference,
                            [
                                "properties": [
                                    "type": ["enum": .texts(types.map(\.rawValue))],
                                    "status": ["const": .number(Int64(status))],
                                ]
                            ],
                        ]
                    ]
                ]
            ],
        ]
    }

    private var fields: [Field] {
        let own: Field? =
            switch status {
            case 401: Field(name: "www-authenticate", meaning: "The required authentication scheme")
            case 405: Field(name: "allow", meaning: "The methods of this path")
            case 415: Field(name: "accept", meaning: "The expected type", isRequired: false)
            case 416: Field(name: "content-range", meaning: "The total number of bytes")
            case 429: Field(name: "retry-after", meaning: "Seconds to wait")
            default: nil
            }
        return [.requestID, .cacheControl, .digest] + (own.map { [$0] } ?? [])
    }
}

extension Operation {
    fileprivate var refusals: [Refusal] {
        Dictionary(grouping: problems.sorted { $0.rawValue < $1.rawValue }, by: \.status)
            .values.map(Refusal.init)
    }

    /// The operation object; a `HEAD` has the same fields and no content.
    fileprivate func json(isHead: Bool) -> JSONValue {
        var object: [String: JSONValue] = [
            "operationId": .text(route.name + (isHead ? ".head" : "")),
            "summary": .text(description.summary),
            "tags": [.text(String(route.name.prefix { $0 != "." }))],
            "security": isOpen ? [] : [["signature": []]],
            "responses": .object(responses(isHead: isHead)),
        ]
        if !description.fields.isEmpty {
            object["parameters"] = .list(
                description.fields.map { field in
                    [
                        "name": .text(field.name), "in": "header",
                        "required": .flag(field.isRequired),
                        "description": .text(field.meaning), "schema": field.schema.reference,
                    ]
                }
            )
        }
        object["requestBody"] = description.takes?.json
        return .object(object)
    }

    private func responses(isHead: Bool) -> [String: JSONValue] {
        var responses: [Int: JSONValue] = [:]
        for reply in description.gives { responses[reply.status] = reply.json(isHead: isHead) }
        for refusal in refusals { responses[refusal.status] = refusal.reference }
        // Ranges apply to GET only (RFC 9110 §14.2).
        if isHead { for status in [206, 416] { responses[status] = nil } }
        return Dictionary(uniqueKeysWithValues: responses.map { (String($0), $1) })
    }
}

extension Reply {
    /// What the router adds.
    private var general: [Field] {
        switch content {
        case .json?, .cbor?: [.requestID, .digest]
        case .bytes?, nil: [.requestID]
        }
    }

    fileprivate func json(isHead: Bool) -> JSONValue {
        var object: [String: JSONValue] = [
            "description": .text(meaning), "headers": (fields + general).json,
        ]
        if let content, !isHead {
            object["content"] =
                status == 206 ? .object([content.mediaType: [:]]) : content.json(limit: nil)
        }
        return .object(object)
    }
}

extension Body {
    fileprivate var json: JSONValue {
        [
            "required": true, "content": content.json(limit: byteLimit),
            "x-limit-bytes": .number(Int64(byteLimit)),
        ]
    }
}

extension Content {
    /// Binary content has no schema but a length limit (OpenAPI 3.1 §4.8.14.4).
    fileprivate func json(limit: Int?) -> JSONValue {
        let shape: JSONValue
        switch self {
        case .json(let schema): shape = ["schema": schema.reference]
        case .cbor, .bytes:
            shape = limit.map { ["schema": ["maxLength": .number(Int64($0))]] } ?? [:]
        }
        return .object([mediaType: shape])
    }
}

extension [Field] {
    fileprivate var json: JSONValue {
        .object(
            reduce(into: [:]) { fields, field in
                fields[field.name] = [
                    "description": .text(field.meaning), "required": .flag(field.isRequired),
                    "schema": field.schema.reference,
                ]
            }
        )
    }
}
