internal import SyncCore

/// The request line and the fields of a request (RFC 9112 §3, §5).
///
/// Rejects everything that another server might parse differently, to prevent request smuggling
/// through a proxy: lines end with CR LF only, fields are not folded, names are tokens, `Host`
/// occurs once, and the length of the body is given at most once and in one way.
struct RequestHead: Hashable, Sendable {
    enum Framing: Hashable, Sendable {
        /// This many bytes; 0 if the head gives no length.
        case length(Int)
        /// Chunked, of unknown length (RFC 9112 §7.1).
        case chunked
    }

    /// The request without its body.
    let request: HTTPRequest
    let framing: Framing
    /// Whether another request may follow on the connection.
    let keepsAlive: Bool
    /// Whether the client waits for `100 Continue` (RFC 9110 §10.1.1).
    let expectsContinue: Bool

    /// The most fields of a head.
    static let fieldLimit = 100

    /// Parses the lines of a head, given without line ends and without the final empty line.
    init(parsing lines: [[UInt8]]) throws(RequestError) {
        guard let first = lines.first else { throw .malformed("the request line is missing") }
        let line = try RequestLine(parsing: first)
        var fields: [String: [String]] = [:]
        for text in lines.dropFirst() {
            let (name, value) = try Self.field(text)
            fields[name, default: []].append(value)
        }
        framing = try Self.framing(fields, line)
        guard fields["host", default: []].count <= 1, fields["host"] != nil || line.isOld else {
            throw .malformed("a request must have exactly one Host field")
        }
        let connection = fields["connection", default: []].joined(separator: ",").lowercased()
        keepsAlive = !line.isOld && !connection.contains("close")
        expectsContinue =
            !line.isOld && fields["expect"]?.map { $0.lowercased() } == ["100-continue"]
        var request = HTTPRequest(line.method, line.path)
        request.query = line.query
        request.headers = fields.mapValues { $0.joined(separator: ", ") }
        self.request = request
    }

    /// Returns a field's name in lower case and its trimmed value.
    static func field(_ line: [UInt8]) throws(RequestError) -> (name: String, value: String) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
            line[..<colon].allSatisfy(\.isToken)
        else { throw .malformed("a field has no valid name") }
        var value = line[(colon + 1)...]
        value = value.drop(while: \.isBlank)
        while value.last?.isBlank == true { value = value.dropLast() }
        guard value.allSatisfy({ $0 >= 0x20 && $0 != 0x7f || $0 == UInt8(ascii: "\t") }) else {
            throw .malformed("a field contains a control character")
        }
        let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
        return (name, String(decoding: value, as: UTF8.self))
    }

    private static func framing(
        _ fields: [String: [String]],
        _ line: RequestLine
    ) throws(RequestError) -> Framing {
        let lengths = fields["content-length", default: []]
        let codings = fields["transfer-encoding", default: []]
        guard lengths.count + codings.count <= 1 else {
            throw .malformed("the request declares the length of its body twice")
        }
        if let coding = codings.first {
            guard coding.lowercased() == "chunked", !line.isOld else {
                throw .malformed("the only supported transfer encoding is chunked, with HTTP/1.1")
            }
            return .chunked
        }
        guard let length = lengths.first else { return .length(0) }
        guard (1...18).contains(length.utf8.count), length.utf8.allSatisfy(\.isDigit),
            let count = Int(length)
        else { throw .malformed("Content-Length is not a number") }
        return .length(count)
    }
}

/// The first line of a request (RFC 9112 §3).
private struct RequestLine {
    let method: String
    let path: String
    let query: String?
    /// HTTP/1.0.
    let isOld: Bool

    init(parsing line: [UInt8]) throws(RequestError) {
        let parts = line.split(
            separator: UInt8(ascii: " "),
            maxSplits: 3,
            omittingEmptySubsequences: false
        )
        guard parts.count == 3, !parts[0].isEmpty, parts[0].allSatisfy(\.isToken) else {
            throw .malformed("the request line must be a method, a path and a version")
        }
        let version = String(decoding: parts[2], as: UTF8.self)
        guard version == "HTTP/1.1" || version == "HTTP/1.0" else {
            throw .malformed("this server supports HTTP/1.1")
        }
        guard parts[1].first == UInt8(ascii: "/"),
            parts[1].allSatisfy({ (0x21...0x7e).contains($0) && $0 != UInt8(ascii: "#") })
        else {
            throw .malformed("the path is not absolute, or has characters that are not allowed")
        }
        let target = parts[1].split(
            separator: UInt8(ascii: "?"),
            maxSplits: 1,
            omittingEmptySubsequences: false
        )
        method = String(decoding: parts[0], as: UTF8.self)
        path = String(decoding: target[0], as: UTF8.self)
        query = target.count == 2 ? String(decoding: target[1], as: UTF8.self) : nil
        isOld = version == "HTTP/1.0"
    }
}

/// A request that is not accepted.
enum RequestError: Error, Equatable {
    /// Not in the accepted form, for the given reason.
    case malformed(String)
    /// The head has too many bytes or fields.
    case headTooLarge
    /// The body is larger than allowed.
    case bodyTooLarge(byteLimit: Int)
}

extension UInt8 {
    fileprivate var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }

    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    /// Whether it may be part of a token (RFC 9110 §5.6.2).
    fileprivate var isToken: Bool {
        isDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20)
            || "!#$%&'*+-.^_`|~".utf8.contains(self)
    }
}
