internal import SyncCore

/// What a route takes and gives: `openapi.json` tells it, ``admit(_:)`` and ``Operation`` hold
/// requests to it.
struct Description: Sendable {
    /// A sentence without a full stop.
    let summary: String
    /// Whether the nonce of its signature is good for one request only.
    var isOnce = false
    /// Whether its handler finds out by itself who signed, since the store may not know.
    var isProven = false
    /// Fields of the request that change the reply.
    var fields: [Field] = []
    /// Its body; nil where there is none.
    var takes: Body?
    /// The replies that are no problems.
    let gives: [Reply]
    /// Its problems beside those that every route can have.
    var problems: Set<ProblemType> = []
}

/// What a body is.
enum Content: Hashable, Sendable {
    case json(Schema)
    case cbor
    case bytes

    /// The media type in `content-type`.
    var mediaType: String {
        switch self {
        case .json: "application/json"
        case .cbor: "application/cbor"
        case .bytes: "application/octet-stream"
        }
    }
}

/// The body that a route takes.
struct Body: Hashable, Sendable {
    let content: Content
    /// The most bytes that it may have.
    let byteLimit: Int
}

/// A field of a request or a reply.
struct Field: Hashable, Sendable {
    /// In lower case.
    let name: String
    let meaning: String
    var schema = Schema.text
    /// Whether it is in every reply of its status.
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
}

/// A reply that is no problem.
struct Reply: Hashable, Sendable {
    let status: Int
    let meaning: String
    var content: Content?
    var fields: [Field] = []

    /// A reply without content.
    static let done = Reply(status: 204, meaning: "Done")

    /// A reply with `content`.
    static func with(_ content: Content, _ fields: [Field] = []) -> Reply {
        Reply(status: 200, meaning: "The response", content: content, fields: fields)
    }
}

extension Description {
    /// Refuses what no request of this route has, whoever makes it.
    ///
    /// A body without `content-type` is taken for what belongs there.
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
