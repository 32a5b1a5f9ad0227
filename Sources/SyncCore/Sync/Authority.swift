/// Where a server is: `host:port`, or `[host]:port` for an address of IPv6.
package struct Authority: Hashable, Sendable {
    /// The host's name or address, brackets included.
    package let host: String
    /// The port; 0 asks for a free one.
    package let port: UInt16

    /// Reads printable ASCII without anything that ends an authority; nil for anything else.
    ///
    /// A port has one spelling.
    package init?(_ text: some StringProtocol) {
        guard let colon = text.lastIndex(of: ":"), colon > text.startIndex,
            let port = UInt16(text[text.index(after: colon)...]),
            String(port) == text[text.index(after: colon)...],
            text.utf8.allSatisfy({ (0x21...0x7e).contains($0) && !"/?#@\\".utf8.contains($0) })
        else { return nil }
        host = String(text[..<colon])
        self.port = port
    }

    /// Whether the host can be nothing but this machine.
    package var isLoopback: Bool {
        if host == "localhost" || host == "[::1]" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127"
            && parts.allSatisfy { part in UInt8(part).map { String($0) == part } ?? false }
    }
}
