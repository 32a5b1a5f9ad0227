/// A request as the transport sends it and the server's router receives it.
package struct HTTPRequest: Hashable, Sendable {
    /// `GET`, `POST`, `PUT`, `DELETE` or `HEAD`.
    package var method: String
    /// The absolute path without the query, percent-encoding untouched.
    package var path: String
    /// What stands behind the question mark, nil where there is none.
    package var query: String?
    /// Field names in lower case; repeated fields are joined with a comma.
    package var headers: [String: String]
    /// The content, empty where there is none.
    package var body: [UInt8]

    /// A request without a query.
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

/// A reply as the router makes it and the transport receives it.
package struct HTTPResponse: Hashable, Sendable {
    /// The status code.
    package var status: Int
    /// Field names in lower case.
    package var headers: [String: String]
    /// The content.
    package var body: [UInt8]

    /// A reply with this status.
    package init(_ status: Int, headers: [String: String] = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}
