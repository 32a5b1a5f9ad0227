internal import CTLS
internal import SyncCore

/// The server's side of TLS; its certificate can be replaced while connections are open.
final class TLSContext: Sendable {
    private let settings: Locked<Settings>

    init(_ identity: TLSIdentity) throws(TLSError) { settings = Locked(try Settings(identity)) }

    /// Replaces the certificate for new connections; an invalid one changes nothing.
    func reload(_ identity: TLSIdentity) throws(TLSError) {
        let later = try Settings(identity)
        settings.withLock { $0 = later }
    }

    /// Returns an `SSL *` for one connection; the caller owns it, and it stays valid after a
    /// reload.
    func makeSession() -> OpaquePointer {
        unsafe settings.withLock { $0 }.makeSession()
    }

    /// The SHA-256 of the certificate's public key.
    var pin: Digest { settings.withLock { $0.pin } }

    /// The certificate's validity in seconds since 1970, or nil if it cannot be read.
    var validSeconds: Range<Int64>? { settings.withLock { $0.validSeconds } }

    /// The trust that a link carries: a pin for a self-signed certificate, else authorities.
    var trust: ServerTrust {
        let settings = settings.withLock { $0 }
        return settings.isSelfSigned ? .pinned(settings.pin) : .authorities
    }
}

/// An `SSL_CTX` that is not changed after its creation.
@safe private final class Settings: Sendable {
    nonisolated(unsafe) private let context: OpaquePointer
    // OpenSSL locks the data that sessions share, and counts references atomically.

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
        guard unsafe ctls_validity(context, &from, &until) == 1, from < until else { return nil }
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
    fileprivate init(_ fault: ctls_fault, _ identity: TLSIdentity, reason: String) {
        let (certificate, key) = (identity.certificate.path, identity.key.path)
        self =
            switch fault {
            case ctls_no_certificate: .noCertificate(path: certificate)
            case ctls_no_key: .noKey(path: key)
            case ctls_encrypted_key: .encryptedKey(path: key)
            case ctls_damaged_key: .damagedKey(path: key)
            case ctls_mismatch: .mismatch(certificate: certificate, key: key)
            default: .refused(certificate: certificate, reason: reason)
            }
    }
}
