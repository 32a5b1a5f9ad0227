/// The fields of a request as they arrived.
///
/// libevent accepts heads that another server might read differently, which is how requests are
/// smuggled; a request is answered only if its head means one thing.
struct Head {
    /// Names and values in the order of arrival.
    var fields: [(name: String, value: String)] = []

    /// The fields with lower-case names, repeated ones joined with a comma (RFC 9110 §5.3); nil
    /// where a name is not a token, `Host` is not there once, or the length of the body is said
    /// twice or in another way than by `Content-Length` or `chunked` (RFC 9112 §6).
    var headers: [String: String]? {
        var headers: [String: [String]] = [:]
        for (name, value) in fields {
            guard Self.isToken(name) else { return nil }
            headers[name.lowercased(), default: []].append(value)
        }
        let lengths = headers["content-length", default: []]
        let codings = headers["transfer-encoding", default: []]
        guard headers["host"]?.count == 1, lengths.count + codings.count <= 1,
            lengths.allSatisfy({ $0.utf8.allSatisfy(Self.isDigit) && !$0.isEmpty }),
            codings.allSatisfy({ $0.lowercased() == "chunked" })
        else { return nil }
        return headers.mapValues { $0.joined(separator: ", ") }
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    /// A token of RFC 9110 §5.6.2.
    private static func isToken(_ name: String) -> Bool {
        !name.isEmpty
            && name.utf8.allSatisfy { byte in
                isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                    || "!#$%&'*+-.^_`|~".utf8.contains(byte)
            }
    }
}
