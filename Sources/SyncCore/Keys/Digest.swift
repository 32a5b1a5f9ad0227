internal import COpenSSL

/// A SHA-256 digest: 32 bytes that name a sealed set, a body or a chunk.
public struct Digest: Hashable, Sendable {
    /// The 32 bytes.
    public let bytes: [UInt8]

    /// Thirty-two zero bytes, which stand before the first link of every chain.
    public static let zero = Digest(unchecked: [UInt8](repeating: 0, count: 32))

    /// The digest of `data`.
    public init(of data: some Collection<UInt8>) {
        let data = Array(data)
        var digest = [UInt8](repeating: 0, count: 32)
        let done = unsafe copenssl_sha256(data, data.count, &digest)
        precondition(done == 1, "SHA-256 is part of every OpenSSL")
        bytes = digest
    }

    /// A digest that came from elsewhere; nil unless it has 32 bytes.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 32 else { return nil }
        self.bytes = Array(bytes)
    }

    fileprivate init(unchecked bytes: [UInt8]) {
        self.bytes = bytes
    }
}

/// Makes a ``Digest`` of bytes that come piece by piece, so that nobody needs to hold all of them.
@safe package final class DigestBuilder {
    private let context: OpaquePointer

    /// Nothing has come yet.
    package init() {
        guard let context = unsafe copenssl_digest_new() else {
            preconditionFailure("SHA-256 is part of every OpenSSL")
        }
        unsafe self.context = context
    }

    deinit {
        unsafe copenssl_digest_free(context)
    }

    /// Takes the next bytes.
    package func add(_ bytes: [UInt8]) {
        let done = unsafe copenssl_digest_add(context, bytes, bytes.count)
        precondition(done == 1, "SHA-256 cannot fail on a context that was made")
    }

    /// The digest of all that came; nothing comes after it.
    package func finish() -> Digest {
        var sum = [UInt8](repeating: 0, count: 32)
        let done = unsafe copenssl_digest_finish(context, &sum)
        precondition(done == 1, "SHA-256 cannot fail on a context that was made")
        return Digest(unchecked: sum)
    }
}

extension Digest: CustomStringConvertible {
    /// Sixty-four lower-case hexadecimal digits.
    public var description: String { bytes.hexadecimal }

    /// Reads ``description``; nil for anything else.
    public init?(hexadecimal text: String) {
        guard let bytes = [UInt8](hexadecimal: text) else { return nil }
        self.init(bytes: bytes)
    }
}
