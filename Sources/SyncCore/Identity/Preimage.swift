/// The bytes of a hash, a signature or a key derivation: a CBOR array that begins with its purpose.
///
/// The purpose, such as `wake/1/card`, keeps what was made for one use from counting for another.
struct Preimage {
    private var encoder = CBOREncoder()

    /// - Parameter count: the number of items after the purpose.
    init(_ purpose: Text, count: Int) {
        encoder.array(count + 1)
        encoder.text(purpose)
    }

    var bytes: [UInt8] { encoder.bytes }

    /// The first 16 bytes of the SHA-256.
    var identifier: Identifier {
        guard let id = Identifier(bytes: Digest(of: bytes).bytes.prefix(16)) else {
            preconditionFailure("a digest has 16 bytes and more")
        }
        return id
    }

    mutating func add(_ text: Text) { encoder.text(text) }
    mutating func add(_ bytes: [UInt8]) { encoder.bytes(bytes) }
    mutating func add(_ id: Identifier) { encoder.identifier(id) }
    mutating func add(_ number: UInt64) { encoder.unsigned(number) }
    mutating func add(_ digest: Digest) { encoder.bytes(digest.bytes) }

    mutating func add(_ keys: PublicKeys) {
        encoder.bytes(keys.signing.bytes)
        encoder.bytes(keys.agreement.bytes)
    }
}
