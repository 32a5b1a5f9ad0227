internal import COpenSSL

/// A key for HMAC-SHA-256 (RFC 2104, RFC 9053 algorithm 5), set up once and used for many messages.
///
/// Not `Sendable`: one context serves one thread. Keep the bytes and make one where it is used.
@safe package final class MACKey {
    private let context: OpaquePointer

    /// Prepares `secret`, of any length above 0.
    package init(_ secret: [UInt8]) {
        precondition(!secret.isEmpty, "a MAC key has bytes")
        guard let context = unsafe copenssl_mac_new(secret, secret.count) else {
            preconditionFailure("HMAC-SHA-256 is part of every OpenSSL")
        }
        unsafe self.context = context
    }

    deinit {
        unsafe copenssl_mac_free(context)
    }

    /// The 32-byte tag of a message.
    package func tag(of message: [UInt8]) -> [UInt8] {
        var tag = [UInt8](repeating: 0, count: 32)
        let done = unsafe copenssl_mac_compute(context, message, message.count, &tag)
        precondition(done == 1, "HMAC cannot fail on a keyed context")
        return tag
    }

    /// Whether `tag` is the message's, in time that does not depend on where they differ.
    package func verifies(_ tag: some Collection<UInt8>, of message: [UInt8]) -> Bool {
        Self.equal(Array(tag), self.tag(of: message))
    }

    /// Whether two secrets are equal, in time that does not depend on where they differ.
    package static func equal(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        return unsafe copenssl_equal(left, right, left.count) == 1
    }
}
