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
        derive(Array(label.utf8) + context, salt: salt)
    }

    /// Derives a 32-byte key by HKDF-SHA-256 (RFC 5869) for an info that names the purpose.
    func derive(_ info: [UInt8], salt: [UInt8]) -> Secret {
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
        let nonce = Secret.random(count: 12, using: &generator).bytes
        return nonce + encrypt(plain, nonce: nonce, for: context)
    }

    /// Reverses ``wrap(_:for:using:)``; returns nil if the key, the context or the bytes do not
    /// match.
    package func unwrap(_ wrapped: [UInt8], for context: [UInt8]) -> [UInt8]? {
        guard wrapped.count >= 28 else { return nil }
        return decrypt(Array(wrapped[12...]), nonce: Array(wrapped[..<12]), for: context)
    }

    /// Encrypts like ``wrap(_:for:using:)``, with a nonce that this key has never had before.
    ///
    /// Returns ciphertext ‖ tag (16 bytes).
    func encrypt(_ plain: [UInt8], nonce: [UInt8], for context: [UInt8]) -> [UInt8] {
        precondition(bytes.count == 32 && nonce.count == 12, "AES-256-GCM takes 32 and 12 bytes")
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
        return sealed
    }

    /// Reverses ``encrypt(_:nonce:for:)``; nil if the key, the context or the bytes do not match.
    func decrypt(_ sealed: [UInt8], nonce: [UInt8], for context: [UInt8]) -> [UInt8]? {
        guard bytes.count == 32, nonce.count == 12, sealed.count >= 16 else { return nil }
        var plain = [UInt8](repeating: 0, count: sealed.count - 16)
        let done = unsafe copenssl_gcm_open(
            bytes,
            nonce,
            context,
            context.count,
            sealed,
            sealed.count,
            &plain
        )
        return done == 1 ? plain : nil
    }
}
