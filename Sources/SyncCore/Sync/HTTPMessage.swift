/// An HTTP request, as the transport sends it and the server's router receives it.
package struct HTTPRequest: Hashable, Sendable {
    /// The method, such as `GET`.
    package var method: String
    /// The absolute path without the query, with percent-encoding untouched.
    package var path: String
    /// The query without its question mark, or nil if there is none.
    package var query: String?
    /// Header fields by lower-case name; repeated fields are joined with a comma.
    package var headers: [String: String]
    /// The content, or empty if there is none.
    package var body: [UInt8]

    /// Creates a request without a query.
    package init(
        _ method: String,
        _ path: String,
        headers: [String: String] = [:],
        body: [UInt8] = []
    ) {
        self.method = method
        self.path = path
        self.headers = headers
        self.body = body
    }
}

/// An HTTP response, as the router creates it and the transport receives it.
package struct HTTPResponse: Hashable, Sendable {
    package var status: Int
    /// Header fields by lower-case name.
    package var headers: [String: String]
    package var body: [UInt8]

    package init(_ status: Int, headers: [String: String] = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}
