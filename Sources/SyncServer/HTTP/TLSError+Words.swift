internal import ProgramKit

extension TLSError: DescribedError {
    var words: (message: String, hint: String?) {
        switch self {
        case .unreadable(let path, let code):
            (
                "cannot read \(path): \(SystemReason.text(code))",
                "check that the file exists and that the server's user may read it"
            )
        case .tooLarge(let path):
            (
                "\(path) is larger than 1 MiB",
                "use the PEM file of the certificate or of the key"
            )
        case .empty(let path):
            ("\(path) is empty", "write it again, in PEM format, as certbot does")
        case .noCertificate(let path):
            (
                "\(path) contains no valid certificate",
                "it must be PEM: the server's own certificate, followed by its chain"
            )
        case .noKey(let path):
            (
                "\(path) contains no valid private key",
                "it must be PEM and begin with -----BEGIN PRIVATE KEY-----"
            )
        case .encryptedKey(let path):
            (
                "the key in \(path) is encrypted, and the server cannot ask for the password",
                "'openssl pkey -in KEY -out NEW' decrypts it; keep that file private (mode 600)"
            )
        case .damagedKey(let path):
            (
                "the private key in \(path) is damaged: it does not belong to its public half",
                "restore the file: links and devices trust this key"
            )
        case .mismatch(let certificate, let key):
            (
                "the key in \(key) does not match the first certificate in \(certificate)",
                "use a matching key and certificate, with the server's own certificate first"
            )
        case .refused(let certificate, let reason):
            ("OpenSSL rejects the certificate in \(certificate): \(reason)", nil)
        }
    }
}
