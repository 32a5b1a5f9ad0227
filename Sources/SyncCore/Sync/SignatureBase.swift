/// The signature base of a message (RFC 9421, section 2.5): a line for each component, then one for
/// the parameters.
package struct SignatureBase: Hashable, Sendable {
    /// The covered components in order: lower-case field names, or derived components such as
    /// `@method`.
    package var components: [String]

    /// The parameters as in `signature-input`, each after a semicolon.
    package var parameters: String

    package init(components: [String], parameters: String) {
        self.components = components
        self.parameters = parameters
    }

    /// The value of `@signature-params`, which is also the member's value in `signature-input`.
    package var input: String {
        "(" + components.map { "\"\($0)\"" }.joined(separator: " ") + ")" + parameters
    }

    /// Returns the bytes to sign, or nil if the request lacks a component.
    ///
    /// `authority` is the host and port in lower case, without the scheme's default port (section
    /// 2.2.3): the client's target or, at the server, its configured authority.
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
