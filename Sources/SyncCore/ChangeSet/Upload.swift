/// A parsed upload that is not verified yet.
///
/// The outer object has the device MAC, the inner one the space MAC; the payload of the inner
/// object is the header.
package struct Upload: Equatable, Sendable {
    /// The received bytes, stored and relayed verbatim.
    package let bytes: [UInt8]
    /// The outer object, whose payload is the inner object.
    package let outer: MACEnvelope
    /// The inner object, whose payload is the header.
    package let inner: MACEnvelope
    package let header: Header
    /// The SHA-256 of the inner object, which names the set in chains, receipts and lists.
    package let hash: Digest

    /// Parses both objects and the header.
    package init(parsing bytes: [UInt8]) throws(ChangeSetError) {
        self.bytes = bytes
        do {
            outer = try MACEnvelope(decoding: bytes[...])
            inner = try MACEnvelope(decoding: outer.payload)
        } catch {
            throw .encoding(error)
        }
        header = try Header(decoding: inner.payload)
        hash = Digest(of: outer.payload)
    }
}
