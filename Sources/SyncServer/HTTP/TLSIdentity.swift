internal import CTLS
internal import Glibc

/// Who a server is in TLS: a certificate, followed by those that vouch for it, and its key.
struct TLSIdentity: Equatable, Sendable {
    /// PEM, and where it came from.
    struct File: Equatable, Sendable {
        let path: String
        let bytes: [UInt8]
    }

    let certificate: File
    let key: File

    /// Reads both files.
    init(certificate: String, key: String) throws(TLSError) {
        self.certificate = try File(certificate)
        self.key = try File(key)
    }
}

extension TLSIdentity.File {
    /// A chain of certificates has a few thousand bytes.
    private static let byteLimit = 1 << 20

    /// Reads a file.
    init(_ path: String) throws(TLSError) {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .unreadable(path: path, code: errno) }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: Self.byteLimit)
        var count = 0
        while count < Self.byteLimit {
            let more = unsafe bytes.withUnsafeMutableBytes { [count] in
                unsafe read(descriptor, $0.baseAddress.map { unsafe $0 + count }, $0.count - count)
            }
            guard more >= 0 else { throw .unreadable(path: path, code: errno) }
            guard more > 0 else { break }
            count += more
        }
        guard count > 0 else { throw .empty(path: path) }
        self.init(path: path, bytes: Array(bytes.prefix(count)))
    }
}

/// What a server makes for itself when it is given nothing.
extension TLSIdentity {
    /// A key that has room in this is PEM of a P-256 key, as is its certificate.
    private static let madeByteLimit = 4096

    /// A new key.
    static func makeKey() -> [UInt8] {
        var pem = [UInt8](repeating: 0, count: madeByteLimit)
        let count = unsafe ctls_make_key(&pem, pem.count)
        precondition(count > 0, "P-256 is part of every OpenSSL")
        return Array(pem.prefix(count))
    }

    /// A certificate for a key, signed with it; nil where that is no key.
    static func makeCertificate(for key: [UInt8]) -> [UInt8]? {
        var pem = [UInt8](repeating: 0, count: madeByteLimit)
        let count = unsafe ctls_make_certificate(key, key.count, &pem, pem.count)
        return count > 0 ? Array(pem.prefix(count)) : nil
    }
}

/// Why a certificate and its key cannot be used.
enum TLSError: Error, Equatable {
    /// A file that cannot be opened or read; `code` is an errno.
    case unreadable(path: String, code: Int32)
    /// A file without a byte.
    case empty(path: String)
    /// No certificate in a file, or a damaged one.
    case noCertificate(path: String)
    /// No private key in a file, or a damaged one.
    case noKey(path: String)
    /// A key that can be read with a password only.
    case encryptedKey(path: String)
    /// A key that is not that of the first certificate.
    case mismatch(certificate: String, key: String)
    /// OpenSSL takes one or both of them for unsafe, for this reason.
    case refused(certificate: String, reason: String)
}
