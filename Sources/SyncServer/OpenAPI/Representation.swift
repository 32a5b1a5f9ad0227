internal import SyncCore

/// Cacheable bytes that support range requests (RFC 9110 §8.8.3, §13, §14).
struct Representation: Sendable {
    let mediaType: String
    /// The entity tag without its quotes; equal bytes have equal tags.
    let tag: String
    let cacheControl: String
    let bytes: [UInt8]

    /// Returns the reply to a `GET` or `HEAD`: 200 with all bytes, 206 with a part, or 304.
    func response(to request: HTTPRequest) throws(Problem) -> HTTPResponse {
        let own = "\"\(tag)\""
        var headers = ["etag": own, "cache-control": cacheControl, "accept-ranges": "bytes"]
        if let known = request.headers["if-none-match"], Self.names(known, own) {
            return HTTPResponse(304, headers: headers)
        }
        headers["content-type"] = mediaType
        let isWhole = request.headers["if-range"].map { $0 != own } ?? false
        guard request.method == "GET", !isWhole, let field = request.headers["range"],
            let range = ByteRange(field)
        else { return HTTPResponse(200, headers: headers, body: bytes) }
        guard let bounds = range.bounds(in: bytes.count) else {
            throw Problem(
                .rangeNotSatisfiable,
                "the range lies outside the \(bytes.count) bytes",
                headers: ["content-range": "bytes */\(bytes.count)"]
            )
        }
        headers["content-range"] =
            "bytes \(bounds.lowerBound)-\(bounds.upperBound - 1)/\(bytes.count)"
        return HTTPResponse(206, headers: headers, body: Array(bytes[bounds]))
    }

    /// Whether a list of entity tags contains this one, weak or strong, or is `*`.
    private static func names(_ list: String, _ own: String) -> Bool {
        list.split(separator: ",").contains { element in
            let tag = element.trimmingPrefix(while: \.isWhitespace)
                .trimmingSuffix(while: \.isWhitespace)
            return tag == "*" || tag == own || tag == "W/" + own
        }
    }
}

extension Representation {
    static let requestFields = [
        Field(
            name: "if-none-match",
            meaning: "Entity tags that the device already has: 304 if one matches",
            isRequired: false
        ),
        Field(
            name: "range",
            meaning: "One byte range: 206 with that part, or 416; any other value is ignored",
            isRequired: false
        ),
        Field(
            name: "if-range",
            meaning: "The entity tag that the range belongs to; if it differs, the whole body",
            isRequired: false
        ),
    ]

    static func replies(_ content: Content) -> [Reply] {
        let fields = [
            Field(name: "etag", meaning: "The entity tag of the bytes"), .cacheControl,
            Field(name: "accept-ranges", meaning: "Byte ranges are supported"),
        ]
        let range = Field(
            name: "content-range",
            meaning: "The range, and the total number of bytes"
        )
        return [
            .with(content, fields),
            Reply(
                status: 206,
                meaning: "The requested range",
                content: content,
                fields: fields + [range]
            ),
            Reply(status: 304, meaning: "Not modified", fields: fields),
        ]
    }

    static let problems: Set<ProblemType> = [.rangeNotSatisfiable]
}

extension StringProtocol {
    /// Returns the text without its trailing characters that satisfy `fits`.
    func trimmingSuffix(while fits: (Character) -> Bool) -> SubSequence {
        var rest = self[...]
        while let last = rest.last, fits(last) { rest.removeLast() }
        return rest
    }
}

/// A `range` field with one part (RFC 9110 §14.1.2).
///
/// Other units and several parts are not supported; replying with the whole content is allowed.
struct ByteRange: Hashable {
    private let first: Int?
    private let last: Int?

    init?(_ field: String) {
        guard field.hasPrefix("bytes=") else { return nil }
        let ends = field.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Self.place(ends[0]), let last = Self.place(ends[1]),
            first ?? last != nil, first ?? 0 <= last ?? .max
        else { return nil }
        (self.first, self.last) = (first, last)
    }

    /// Parses digits, or returns nil; a number that does not fit lies beyond any end.
    private static func place(_ text: Substring) -> Int?? {
        guard text.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) else {
            return nil
        }
        return .some(text.isEmpty ? nil : Int(text) ?? .max)
    }

    /// Returns the range within `count` bytes, or nil if it lies outside them.
    func bounds(in count: Int) -> Range<Int>? {
        guard let first else {
            guard let last, last > 0, count > 0 else { return nil }
            return max(0, count - last)..<count
        }
        guard first < count else { return nil }
        return first..<min(last ?? .max, count - 1) + 1
    }
}
