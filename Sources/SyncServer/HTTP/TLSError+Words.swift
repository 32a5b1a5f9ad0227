internal import ProgramKit

extension TLSError: DescribedError {
    var words: (message: String, hint: String?) {
        switch self {
        case .unreadable(let path, let code):
            (
                "cannot read \(path): \(SystemReason.text(code))",
                "see whether the file is there and the server's user may read it"
            )
        case .empty(let path): ("\(path) is empty", "write it anew: PEM, as certbot makes it")
        case .noCertificate(let path):
            (
                "there is no certificate in \(path), or a damaged one",
                "it is PEM: the server's own certificate, and after it those that vouch for it"
            )
        case .noKey(let path):
            (
                "there is no private key in \(path), or a damaged one",
                "it is PEM, and begins with -----BEGIN PRIVATE KEY-----"
            )
        case .encryptedKey(let path):
            (
                "the key in \(path) is encrypted, and nobody is there to give the password",
                "'openssl pkey -in KEY -out NEW' decrypts it; keep that file to yourself (mode 600)"
            )
        case .mismatch(let certificate, let key):
            (
                "the key in \(key) is not that of the first certificate in \(certificate)",
                "give the two that belong together, the server's own certificate first"
            )
        case .refused(let certificate, let reason):
            ("OpenSSL refuses the certificate in \(certificate): \(reason)", nil)
        }
    }
}
