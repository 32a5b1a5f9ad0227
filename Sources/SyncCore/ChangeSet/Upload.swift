/// An upload whose structure is right, with nothing verified yet.
///
/// The outer object is the device's, the inner one the members'; the inner payload is the header.
package struct Upload: Equatable, Sendable {
    /// The bytes as they came, stored and relayed verbatim.
    package let bytes: [UInt8]
    /// What the device signed: the inner object.
    package let outer: MACEnvelope
    /// What the member signed: the header.
    package let inner: MACEnvelope
    /// What the header says.
    package let header: Header
    /// The SHA-256 of the inner object: the set's name in chains, receipts and lists.
    package let hash: Digest

    /// Reads both objects and the header.
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
