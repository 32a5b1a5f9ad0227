internal import COpenSSL

/// A public key of 32 bytes, for Ed25519 (RFC 8032) or X25519 (RFC 7748).
package struct PublicKey: Hashable, Sendable {
    package let bytes: [UInt8]

    /// Creates a key from its 32 bytes; nil for any other count.
    package init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 32 else { return nil }
        self.bytes = Array(bytes)
    }

    fileprivate init(unchecked bytes: [UInt8]) { self.bytes = bytes }

    /// Whether this Ed25519 key signed the message.
    package func verifies(_ signature: Signature, of message: [UInt8]) -> Bool {
        unsafe copenssl_ed25519_verifies(bytes, message, message.count, signature.bytes) == 1
    }
}

/// An Ed25519 signature of 64 bytes.
package struct Signature: Hashable, Sendable {
    package let bytes: [UInt8]

    /// Creates a signature from its 64 bytes; nil for any other count.
    package init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 64 else { return nil }
        self.bytes = Array(bytes)
    }

    fileprivate init(unchecked bytes: [UInt8]) { self.bytes = bytes }
}

/// An Ed25519 private key: a seed of 32 bytes (RFC 8032, section 5.1.5).
package struct SigningKey: Hashable, Sendable {
    package let seed: Secret
    package let publicKey: PublicKey

    package init(seed: Secret) {
        precondition(seed.bytes.count == 32, "an Ed25519 seed has 32 bytes")
        self.seed = seed
        var key = [UInt8](repeating: 0, count: 32)
        let done = unsafe copenssl_ed25519_public(seed.bytes, &key)
        precondition(done == 1, "any 32 bytes are an Ed25519 seed")
        publicKey = PublicKey(unchecked: key)
    }

    /// Signs a message; the same message always gets the same signature.
    package func sign(_ message: [UInt8]) -> Signature {
        var signature = [UInt8](repeating: 0, count: 64)
        let done = unsafe copenssl_ed25519_sign(
            seed.bytes,
            message,
            message.count,
            &signature
        )
        precondition(done == 1, "Ed25519 cannot fail to sign")
        return Signature(unchecked: signature)
    }
}

/// An X25519 private key of 32 bytes (RFC 7748, section 5).
package struct AgreementKey: Hashable, Sendable {
    package let secret: Secret
    package let publicKey: PublicKey

    package init(secret: Secret) {
        precondition(secret.bytes.count == 32, "an X25519 key has 32 bytes")
        self.secret = secret
        var key = [UInt8](repeating: 0, count: 32)
        let done = unsafe copenssl_x25519_public(secret.bytes, &key)
        precondition(done == 1, "any 32 bytes are an X25519 private key")
        publicKey = PublicKey(unchecked: key)
    }

    /// Returns the secret that this key shares with the owner of another one.
    ///
    /// Nil if it would be all zeros, as for a key of small order (RFC 7748, section 6.1).
    package func agree(with other: PublicKey) -> Secret? {
        var shared = [UInt8](repeating: 0, count: 32)
        let done = unsafe copenssl_x25519_shared(secret.bytes, other.bytes, &shared)
        return done == 1 ? Secret(bytes: shared) : nil
    }
}
