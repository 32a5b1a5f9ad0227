internal import CTLS
internal import SyncCore

/// The server's side of TLS, whose certificate can be exchanged while connections go on.
final class TLSContext: Sendable {
    private let settings: Locked<Settings>

    init(_ identity: TLSIdentity) throws(TLSError) {
        settings = Locked(try Settings(identity))
    }

    /// Takes another certificate for connections to come; a bad one changes nothing.
    func reload(_ identity: TLSIdentity) throws(TLSError) {
        let later = try Settings(identity)
        settings.withLock { $0 = later }
    }

    /// An `SSL *` for one connection, which belongs to the caller and outlives every reload.
    func makeSession() -> OpaquePointer {
        unsafe settings.withLock { $0 }.makeSession()
    }

    /// The digest of the public key.
    var pin: Digest { settings.withLock { $0.pin } }

    /// The seconds since 1970 in which the certificate is good; nil where it does not say.
    var validSeconds: Range<Int64>? { settings.withLock { $0.validSeconds } }

    /// What a link has to say about this certificate: one that no authority signed is pinned.
    var trust: ServerTrust {
        let settings = settings.withLock { $0 }
        return settings.isSelfSigned ? .pinned(settings.pin) : .authorities
    }
}

/// An `SSL_CTX`, which nothing changes once it is made.
@safe private final class Settings: Sendable {
    nonisolated(unsafe) private let context: OpaquePointer
    // OpenSSL locks what its sessions share, and counts them atomically.

    let pin: Digest
    let isSelfSigned: Bool

    init(_ identity: TLSIdentity) throws(TLSError) {
        let (certificate, key) = (identity.certificate, identity.key)
        var fault = ctls_sound
        var reason: UnsafePointer<CChar>?
        let context = unsafe ctls_new(
            certificate.bytes,
            certificate.bytes.count,
            key.bytes,
            key.bytes.count,
            &fault,
            &reason
        )
        guard let context = unsafe context else {
            let words = unsafe reason.map { unsafe String(cString: $0) }
            throw TLSError(fault, identity, reason: words ?? "no memory")
        }
        unsafe self.context = context
        var digest = [UInt8](repeating: 0, count: 32)
        let done = unsafe ctls_pin(context, &digest)
        guard done == 1, let pin = Digest(bytes: digest) else {
            preconditionFailure("a certificate that was taken has a public key")
        }
        self.pin = pin
        isSelfSigned = unsafe ctls_is_self_signed(context) == 1
    }

    deinit {
        unsafe ctls_free(context)
    }

    var validSeconds: Range<Int64>? {
        var (from, until): (Int64, Int64) = (0, 0)
        guard unsafe ctls_validity(context, &from, &until) == 1, from < until else {
            return nil
        }
        return from..<until
    }

    func makeSession() -> OpaquePointer {
        guard let session = unsafe ctls_session(context) else {
            preconditionFailure("no memory for a connection")
        }
        return unsafe session
    }
}

extension TLSError {
    fileprivate init(
        _ fault: ctls_fault,
        _ identity: TLSIdentity,
        reason: String
    ) {
        let (certificate, key) = (identity.certificate.path, identity.key.path)
        self =
            switch fault {
            case ctls_no_certificate: .noCertificate(path: certificate)
            case ctls_no_key: .noKey(path: key)
            case ctls_encrypted_key: .encryptedKey(path: key)
            case ctls_mismatch: .mismatch(certificate: certificate, key: key)
            default: .refused(certificate: certificate, reason: reason)
            }
    }
}
