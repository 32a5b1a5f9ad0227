internal import COpenSSL

/// A SHA-256 digest, which names a sealed set, a body or a chunk.
public struct Digest: Hashable, Sendable {
    /// The 32 bytes.
    public let bytes: [UInt8]

    /// The all-zero value, which precedes the first link of every chain.
    public static let zero = Digest(unchecked: [UInt8](repeating: 0, count: 32))

    /// Computes the digest of `data`.
    public init(of data: some Collection<UInt8>) {
        let data = Array(data)
        var digest = [UInt8](repeating: 0, count: 32)
        let done = unsafe copenssl_sha256(data, data.count, &digest)
        precondition(done == 1, "SHA-256 is part of every OpenSSL")
        bytes = digest
    }

    /// Returns the digest of `data` as four words, most significant first, without allocating.
    static func words(of data: [UInt8]) -> [4 of UInt64] { words(ofFirst: data.count, of: data) }

    /// Returns the digest of the first bytes of `data` as four words.
    static func words(ofFirst count: Int, of data: [UInt8]) -> [4 of UInt64] {
        precondition(count <= data.count, "only bytes of the array are read")
        var words: [4 of UInt64] = [0, 0, 0, 0]
        let done = unsafe withUnsafeMutableBytes(of: &words) { digest in
            unsafe copenssl_sha256(data, count, digest.baseAddress)
        }
        precondition(done == 1, "SHA-256 is part of every OpenSSL")
        for index in words.indices { words[index] = UInt64(bigEndian: words[index]) }
        return words
    }

    /// Creates a digest from its 32 bytes; nil for any other count.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 32 else { return nil }
        self.bytes = Array(bytes)
    }

    fileprivate init(unchecked bytes: [UInt8]) { self.bytes = bytes }
}

/// Computes a ``Digest`` incrementally, so that the data need not be in memory as a whole.
@safe package final class DigestBuilder {
    private let context: OpaquePointer

    package init() {
        guard let context = unsafe copenssl_digest_new() else {
            preconditionFailure("SHA-256 is part of every OpenSSL")
        }
        unsafe self.context = context
    }

    deinit { unsafe copenssl_digest_free(context) }

    package func add(_ bytes: [UInt8]) {
        let done = unsafe copenssl_digest_add(context, bytes, bytes.count)
        precondition(done == 1, "SHA-256 cannot fail on a context that was made")
    }

    /// Returns the digest of the data; the builder must not be used again.
    package func finish() -> Digest {
        var sum = [UInt8](repeating: 0, count: 32)
        let done = unsafe copenssl_digest_finish(context, &sum)
        precondition(done == 1, "SHA-256 cannot fail on a context that was made")
        return Digest(unchecked: sum)
    }
}

extension Digest: CustomStringConvertible {
    /// The digest as 64 lower-case hexadecimal digits.
    public var description: String { bytes.hexadecimal }

    /// Parses 64 hexadecimal digits of either case; nil for any other text.
    public init?(hexadecimal text: String) {
        guard let bytes = [UInt8](hexadecimal: text) else { return nil }
        self.init(bytes: bytes)
    }
}
