internal import SyncCore

/// A change set that a member brings back; its outer MAC, hashes and structure were checked.
struct RefilledSet: Sendable {
    let upload: Upload
    /// Nil if it was dropped, or if the sending device never received it.
    let body: [UInt8]?
    /// The signed content; nil without a body.
    let content: PushedSet.Content?
    /// The chunks that were uploaded with it, by hash.
    let chunks: [Digest: [UInt8]]
    /// The verdict of an earlier log of this server, if the receipt proves it.
    let proven: Verdict?
    /// The reason for that verdict, as the sending device claims it.
    let reason: String
    /// The device's signature over the set as the head of its replica.
    var headSignature: Signature?
    /// Whether a signature of its device covers the set, so that its place in the chain is certain.
    var isCovered = false
}
