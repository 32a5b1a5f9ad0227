internal import COpenSSL

/// A key for HMAC-SHA-256 (RFC 2104; algorithm 5 of RFC 9053), set up once for many messages.
///
/// Not `Sendable`, because a context serves one thread. Share the bytes and create a key in each
/// place.
@safe package final class MACKey {
    private let context: OpaquePointer

    /// Creates a key from a secret of at least 1 byte.
    package init(_ secret: [UInt8]) {
        precondition(!secret.isEmpty, "a MAC key has bytes")
        guard let context = unsafe copenssl_mac_new(secret, secret.count) else {
            preconditionFailure("HMAC-SHA-256 is part of every OpenSSL")
        }
        unsafe self.context = context
    }

    deinit { unsafe copenssl_mac_free(context) }

    /// Returns the 32-byte tag of a message.
    package func tag(of message: [UInt8]) -> [UInt8] {
        var tag = [UInt8](repeating: 0, count: 32)
        let done = unsafe copenssl_mac_compute(context, message, message.count, &tag)
        precondition(done == 1, "HMAC cannot fail on a keyed context")
        return tag
    }

    /// Whether `tag` is the message's tag; compares in constant time.
    package func verifies(_ tag: some Collection<UInt8>, of message: [UInt8]) -> Bool {
        Self.equal(Array(tag), self.tag(of: message))
    }

    /// Whether two secrets are equal; compares in constant time for secrets of equal length.
    package static func equal(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        return unsafe copenssl_equal(left, right, left.count) == 1
    }
}
