internal import SyncCore

/// The interface of a route: its body, its replies and its problems.
///
/// `openapi.json` is made from it. ``admit(_:)`` and ``Operation`` enforce it for requests.
struct Description: Sendable {
    /// A sentence without a full stop.
    let summary: String
    /// Header fields of the request that change the reply.
    var fields: [Field] = []
    /// The request body, or nil if there is none.
    var takes: Body?
    var gives: [Reply]
    /// The problems in addition to those that every route can have.
    var problems: Set<ProblemType> = []
}

enum Content: Hashable, Sendable {
    case json(Schema)
    case cbor
    case bytes

    var mediaType: String {
        switch self {
        case .json: "application/json"
        case .cbor: MediaType.cbor
        case .bytes: MediaType.bytes
        }
    }
}

struct Body: Hashable, Sendable {
    let content: Content
    let byteLimit: Int
}

/// A header field of a request or a reply.
struct Field: Hashable, Sendable {
    /// In lower case.
    let name: String
    let meaning: String
    var schema = Schema.text
    /// Whether it is always present.
    var isRequired = true
}

extension Field {
    static let cacheControl = Field(
        name: "cache-control",
        meaning: "Who may cache the response, and for how long"
    )
    static let requestID = Field(
        name: "x-request-id",
        meaning: "The id of the request in the server's log"
    )
    static let digest = Field(
        name: "content-digest",
        meaning: "The SHA-256 of the body (RFC 9530)"
    )
    static let challenge = Field(
        name: HTTPResponse.challengeField,
        meaning: "The challenge for the next request of a device that has just used one",
        isRequired: false
    )
}

/// A successful reply.
struct Reply: Hashable, Sendable {
    let status: Int
    let meaning: String
    var content: Content?
    var fields: [Field] = []

    static let done = Reply(status: 204, meaning: "Done")

    static func with(_ content: Content, _ fields: [Field] = []) -> Reply {
        Reply(status: 200, meaning: "The response", content: content, fields: fields)
    }
}

extension Description {
    /// Rejects what no request of this route may have, whoever sends it.
    ///
    /// That is a query, a content encoding or another media type. A body without `content-type` is
    /// assumed to have the right one.
    func admit(_ request: HTTPRequest) throws(Problem) {
        guard (request.query ?? "").isEmpty else {
            throw Problem(.badEncoding, "this path takes no query")
        }
        let coding = request.headers["content-encoding"]?.lowercased() ?? "identity"
        guard coding == "identity" else {
            throw Problem(
                .unsupportedEncoding,
                "the body must not be content-encoded",
                headers: ["accept-encoding": "identity"]
            )
        }
        guard let takes, let field = request.headers["content-type"] else { return }
        let mediaType = field.prefix { $0 != ";" }.lowercased()
        guard mediaType.trimmingSuffix(while: \.isWhitespace) == takes.content.mediaType else {
            throw Problem(
                .unsupportedEncoding,
                "the body must be \(takes.content.mediaType)",
                headers: ["accept": takes.content.mediaType]
            )
        }
    }
}
