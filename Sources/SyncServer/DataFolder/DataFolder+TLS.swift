internal import Glibc
internal import SyncCore

/// The address by which devices reach a server.
struct ServerAddress: Equatable, Sendable {
    /// `host:port`, as devices use it.
    let authority: String
    /// The proof of identity that devices expect.
    let trust: ServerTrust
}

extension DataFolder {
    /// The private key that the server made for itself.
    var key: String { path + "/tls.key" }
    var certificate: String { path + "/tls.crt" }

    /// Creates the server's own key and certificate if they are missing.
    ///
    /// The key is written first. If a crash leaves it without a certificate, the next start makes
    /// one, and links that pin the key stay valid.
    func makeTLSIdentity() throws {
        try requireTLSKey()
        if !isThere(key) {
            try makeFile(key, String(decoding: TLSIdentity.makeKey(), as: UTF8.self))
        }
        try requirePrivate(key)
        guard !isThere(certificate) else { return }
        guard let pem = TLSIdentity.makeCertificate(for: try TLSIdentity.File(key).bytes) else {
            throw TLSError.noKey(path: key)
        }
        try makeFile(certificate, String(decoding: pem, as: UTF8.self))
    }

    /// Throws ``DataFolderError/noTLSKey(path:)`` if the server's certificate is without its key.
    func requireTLSKey() throws(DataFolderError) {
        guard isThere(key) || !isThere(certificate) else { throw .noTLSKey(path: key) }
    }

    private func isThere(_ file: String) -> Bool { unsafe access(file, F_OK) == 0 }

    /// The address of the server that last listened from this folder, or nil if there is none.
    var address: ServerAddress? {
        get throws(DataFolderError) {
            let text = try readText(of: path + "/authority") ?? ""
            let words = text.split { $0.isWhitespace }.map(String.init)
            guard words.count == 2, let trust = ServerTrust(words[1]) else { return nil }
            return ServerAddress(authority: words[0], trust: trust)
        }
    }

    func setAddress(_ address: ServerAddress) throws(DataFolderError) {
        guard try address != self.address else { return }
        let (draft, file) = ("\(path)/authority.\(getpid())", path + "/authority")
        do {
            try writeText("\(address.authority) \(address.trust)\n", to: draft, O_CREAT | O_TRUNC)
        } catch {
            _ = unsafe unlink(draft)
            throw error
        }
        guard unsafe rename(draft, file) == 0 else { throw .notWritable(path: file, code: errno) }
    }
}
