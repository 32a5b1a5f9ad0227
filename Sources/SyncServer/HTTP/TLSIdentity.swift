internal import CTLS
internal import Glibc

/// A server's certificate chain, its own certificate first, and the private key.
struct TLSIdentity: Equatable, Sendable {
    /// A PEM file and its path.
    struct File: Equatable, Sendable {
        let path: String
        let bytes: [UInt8]
    }

    let certificate: File
    let key: File

    init(certificate: String, key: String) throws(TLSError) {
        self.certificate = try File(certificate)
        self.key = try File(key)
    }
}

extension TLSIdentity.File {
    /// Far above the usual few thousand bytes of a certificate chain.
    private static let byteLimit = 1 << 20

    init(_ path: String) throws(TLSError) {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .unreadable(path: path, code: errno) }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: Self.byteLimit + 1)
        var count = 0
        while count < bytes.count {
            let more = unsafe bytes.withUnsafeMutableBytes { [count] in
                unsafe read(descriptor, $0.baseAddress.map { unsafe $0 + count }, $0.count - count)
            }
            guard more >= 0 else { throw .unreadable(path: path, code: errno) }
            guard more > 0 else { break }
            count += more
        }
        guard count > 0 else { throw .empty(path: path) }
        guard count <= Self.byteLimit else { throw .tooLarge(path: path) }
        self.init(path: path, bytes: Array(bytes.prefix(count)))
    }
}

/// The self-signed certificate of a server that was given none.
extension TLSIdentity {
    /// An upper limit for the PEM of a P-256 key and of its certificate.
    private static let madeByteLimit = 4096

    /// Creates a P-256 key as PEM.
    static func makeKey() -> [UInt8] {
        var pem = [UInt8](repeating: 0, count: madeByteLimit)
        let count = unsafe ctls_make_key(&pem, pem.count)
        precondition(count > 0, "P-256 is part of every OpenSSL")
        return Array(pem.prefix(count))
    }

    /// Creates a self-signed certificate as PEM, or returns nil if `key` is not a key.
    static func makeCertificate(for key: [UInt8]) -> [UInt8]? {
        var pem = [UInt8](repeating: 0, count: madeByteLimit)
        let count = unsafe ctls_make_certificate(key, key.count, &pem, pem.count)
        return count > 0 ? Array(pem.prefix(count)) : nil
    }
}

/// A certificate or key that cannot be used.
enum TLSError: Error, Equatable {
    /// The file cannot be opened or read; `code` is an errno.
    case unreadable(path: String, code: Int32)
    /// The file is larger than 1 MiB.
    case tooLarge(path: String)
    case empty(path: String)
    /// The file has no certificate, or a damaged one.
    case noCertificate(path: String)
    /// The file has no private key, or a damaged one.
    case noKey(path: String)
    /// The key is encrypted with a password.
    case encryptedKey(path: String)
    /// The private half of the key does not belong to its public half.
    case damagedKey(path: String)
    /// The key does not belong to the first certificate.
    case mismatch(certificate: String, key: String)
    /// OpenSSL rejects the certificate or key, for this reason.
    case refused(certificate: String, reason: String)
}
