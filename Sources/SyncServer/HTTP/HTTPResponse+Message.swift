internal import Glibc
internal import SyncCore

extension HTTPResponse {
    /// Returns the reply's bytes on the wire (RFC 9112).
    ///
    /// Without its body it still has the content length (RFC 9110 §9.3.2).
    func message(staysOpen: Bool, withBody: Bool) -> [UInt8] {
        var fields = headers
        fields["connection"] = staysOpen ? "keep-alive" : "close"
        // A 204 must not have a length (RFC 9110 §8.6), and a 304 needs none.
        if status != 204, status != 304 { fields["content-length"] = String(body.count) }
        var text = "HTTP/1.1 \(status) \(Self.reasons[status] ?? "")\r\n"
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
            precondition(value.utf8.allSatisfy { $0 >= 0x20 }, "a field is one line: \(name)")
            text += "\(name): \(value)\r\n"
        }
        return Array((text + "\r\n").utf8) + (withBody ? body : [])
    }

    /// Formats a time as an HTTP date, such as `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 §5.6.7).
    static func date(_ time: UnixTime) -> String {
        var seconds = time_t(time.milliseconds / 1000)
        var parts = unsafe tm()
        var text = [CChar](repeating: 0, count: 64)
        unsafe gmtime_r(&seconds, &parts)
        let count = unsafe strftime(&text, text.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
        return String(decoding: text[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// The reason phrases of RFC 9110 §15, for people who read the traffic.
    private static let reasons = [
        200: "OK", 201: "Created", 204: "No Content", 206: "Partial Content",
        304: "Not Modified", 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden",
        404: "Not Found", 405: "Method Not Allowed", 409: "Conflict", 410: "Gone",
        413: "Content Too Large", 415: "Unsupported Media Type", 416: "Range Not Satisfiable",
        426: "Upgrade Required", 429: "Too Many Requests",
        431: "Request Header Fields Too Large", 500: "Internal Server Error",
        503: "Service Unavailable", 507: "Insufficient Storage",
    ]
}
