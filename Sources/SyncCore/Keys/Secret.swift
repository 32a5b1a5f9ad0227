internal import COpenSSL

/// A secret from which keys for single purposes are derived.
package struct Secret: Hashable, Sendable {
    /// The secret bytes: 16 for a link, 32 for any other key.
    package let bytes: [UInt8]

    /// Creates a secret from bytes of storage, a link or a server.
    package init(bytes: [UInt8]) { self.bytes = bytes }

    package static func random(
        count: Int = 32,
        using generator: inout some RandomNumberGenerator
    ) -> Secret {
        Secret(bytes: (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) })
    }

    /// Derives a 32-byte key by HKDF-SHA-256 (RFC 5869); the label separates purposes.
    ///
    /// The info is the label followed by `context`.
    package func derive(_ label: String, salt: [UInt8] = [], context: [UInt8] = []) -> Secret {
        let info = Array(label.utf8) + context
        var derived = [UInt8](repeating: 0, count: 32)
        let done = unsafe copenssl_hkdf(
            bytes,
            bytes.count,
            salt,
            salt.count,
            info,
            info.count,
            &derived,
            derived.count
        )
        precondition(done == 1, "HKDF is part of every OpenSSL 3")
        return Secret(bytes: derived)
    }

    /// Encrypts `plain` with AES-256-GCM under this 32-byte key.
    ///
    /// Returns nonce (12 bytes) ‖ ciphertext ‖ tag (16 bytes). `context` is the additional data.
    package func wrap(
        _ plain: [UInt8],
        for context: [UInt8],
        using generator: inout some RandomNumberGenerator
    ) -> [UInt8] {
        precondition(bytes.count == 32, "AES-256 takes 32 bytes")
        let nonce = Secret.random(count: 12, using: &generator).bytes
        var sealed = [UInt8](repeating: 0, count: plain.count + 16)
        let done = unsafe copenssl_gcm_seal(
            bytes,
            nonce,
            context,
            context.count,
            plain,
            plain.count,
            &sealed
        )
        precondition(done == 1, "AES-256-GCM cannot fail to encrypt")
        return nonce + sealed
    }

    /// Reverses ``wrap(_:for:using:)``; returns nil if the key, the context or the bytes do not
    /// match.
    package func unwrap(_ wrapped: [UInt8], for context: [UInt8]) -> [UInt8]? {
        guard bytes.count == 32, wrapped.count >= 28 else { return nil }
        let sealed = Array(wrapped[12...])
        var plain = [UInt8](repeating: 0, count: sealed.count - 16)
        let done = unsafe copenssl_gcm_open(
            bytes,
            wrapped,
            context,
            context.count,
            sealed,
            sealed.count,
            &plain
        )
        return done == 1 ? plain : nil
    }
}
