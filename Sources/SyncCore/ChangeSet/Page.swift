/// Consecutive log entries and the checkpoint at their end.
package struct Page: Equatable, Sendable {
    package var epoch: Identifier
    /// The encoded entries; each is a byte string of its own, so a malformed one affects no other.
    package var entries: [[UInt8]]
    /// The position of the last entry, or of the cursor if there are no entries.
    package var position: UInt64
    /// The link of the hash chain at `position`.
    package var chain: Digest
    package var head: UInt64
    /// The fingerprint of the server's view at `position`; nil if the view stands elsewhere.
    package var fingerprint: Fingerprint?
    /// The number of control sets that the server has accepted.
    package var controls: UInt64
    /// Where the log goes on from earlier ones, the newest first, each epoch once and at most
    /// ``pastLimit``; only in a page from the beginning.
    package var past: [LogEnding]

    /// How many earlier logs a server names, so that naming them costs a device no more than a page.
    package static let pastLimit = 64

    package init(
        epoch: Identifier,
        entries: [[UInt8]],
        position: UInt64,
        chain: Digest,
        head: UInt64,
        fingerprint: Fingerprint?,
        controls: UInt64 = 0,
        past: [LogEnding] = []
    ) {
        self.epoch = epoch
        self.entries = entries
        self.position = position
        self.chain = chain
        self.head = head
        self.fingerprint = fingerprint
        self.controls = controls
        self.past = past
    }
}
