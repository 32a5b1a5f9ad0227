/// A server's `host:port`, or `[address]:port` for IPv6.
package struct Authority: Hashable, Sendable {
    /// The host name or address, including the brackets of an IPv6 address.
    package let host: String
    /// The port; 0 requests any free port.
    package let port: UInt16

    /// Parses `host:port`; nil if the text is not of this form.
    ///
    /// The text is printable ASCII without `/`, `?`, `#`, `@` and `\`. The port has no sign and no
    /// leading zeros.
    package init?(_ text: some StringProtocol) {
        guard let colon = text.lastIndex(of: ":"), colon > text.startIndex,
            let port = UInt16(text[text.index(after: colon)...]),
            String(port) == text[text.index(after: colon)...],
            text.utf8.allSatisfy({ (0x21...0x7e).contains($0) && !"/?#@\\".utf8.contains($0) })
        else { return nil }
        host = String(text[..<colon])
        guard !host.contains(":") || host.hasPrefix("[") && host.hasSuffix("]") else { return nil }
        self.port = port
    }

    /// Whether the host is `localhost`, `[::1]` or in 127.0.0.0/8.
    package var isLoopback: Bool {
        if host == "localhost" || host == "[::1]" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127"
            && parts.allSatisfy { part in UInt8(part).map { String($0) == part } ?? false }
    }
}
