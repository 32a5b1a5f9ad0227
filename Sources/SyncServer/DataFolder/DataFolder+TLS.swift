internal import Glibc
internal import SyncCore

/// How devices reach a server.
struct ServerAddress: Equatable, Sendable {
    /// What they call it: `host:port`.
    let authority: String
    /// What shows them that it is the one.
    let trust: ServerTrust
}

extension DataFolder {
    /// The key that the server made for itself.
    var key: String { path + "/tls.key" }
    /// The certificate of that key.
    var certificate: String { path + "/tls.crt" }

    /// Makes the server's own key and certificate where there are none.
    ///
    /// The key comes first: where a crash left it alone, its certificate is made again, and links
    /// that name the key stay good.
    func makeTLSIdentity() throws {
        if !isThere(key) {
            guard !isThere(certificate) else { throw DataFolderError.noTLSKey(path: key) }
            try makeFile(key, String(decoding: TLSIdentity.makeKey(), as: UTF8.self))
        }
        guard !isThere(certificate) else { return }
        guard let pem = TLSIdentity.makeCertificate(for: try TLSIdentity.File(key).bytes) else {
            throw TLSError.noKey(path: key)
        }
        try makeFile(certificate, String(decoding: pem, as: UTF8.self))
    }

    private func isThere(_ file: String) -> Bool {
        unsafe access(file, F_OK) == 0
    }

    /// How devices reached the server that last served from here.
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
        guard unsafe rename(draft, file) == 0 else {
            throw .notWritable(path: file, code: errno)
        }
    }
}
