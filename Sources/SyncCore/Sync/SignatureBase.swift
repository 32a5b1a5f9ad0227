/// The text that a message signature covers (RFC 9421 §2.5): a line for each component, then one
/// for the parameters.
package struct SignatureBase: Hashable, Sendable {
    /// Names of fields in lower case, or derived components with an at sign, in order.
    package var components: [String]

    /// The parameters as they stand in `signature-input`, each behind its semicolon.
    package var parameters: String

    /// A base of these components.
    package init(components: [String], parameters: String) {
        self.components = components
        self.parameters = parameters
    }

    /// The value of `@signature-params` and of a member of `signature-input`.
    package var input: String {
        "(" + components.map { "\"\($0)\"" }.joined(separator: " ") + ")" + parameters
    }

    /// The bytes to sign; nil where the request lacks a component.
    ///
    /// `authority` is host and port in lower case without the scheme's default port (§2.2.3): the
    /// one that was asked for or, at the server, the one that it is known by.
    package func bytes(of request: HTTPRequest, authority: String) -> [UInt8]? {
        var text = ""
        for name in components {
            guard let value = Self.value(of: name, in: request, authority) else { return nil }
            text += "\"\(name)\": \(value)\n"
        }
        return Array((text + "\"@signature-params\": " + input).utf8)
    }

    private static func value(
        of name: String,
        in request: HTTPRequest,
        _ authority: String
    ) -> String? {
        switch name {
        case "@method": request.method
        case "@authority": authority.lowercased()
        case "@path": request.path.isEmpty ? "/" : request.path
        case "@query": "?" + (request.query ?? "")
        default: request.headers[name]
        }
    }
}
