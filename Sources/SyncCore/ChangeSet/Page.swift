/// A run of log entries and the checkpoint at their end.
package struct Page: Equatable, Sendable {
    /// The incarnation of the server's history.
    package var epoch: Identifier
    /// Encoded entries, each by itself.
    package var entries: [[UInt8]]
    /// The position of the last entry, or of the cursor where there is none.
    package var position: UInt64
    /// The chain hash at that position.
    package var chain: Digest
    /// The last position of the log.
    package var head: UInt64
    /// The fingerprint of the server's view, where that stands at `position`.
    package var fingerprint: Fingerprint?

    package init(
        epoch: Identifier,
        entries: [[UInt8]],
        position: UInt64,
        chain: Digest,
        head: UInt64,
        fingerprint: Fingerprint?
    ) {
        self.epoch = epoch
        self.entries = entries
        self.position = position
        self.chain = chain
        self.head = head
        self.fingerprint = fingerprint
    }
}
