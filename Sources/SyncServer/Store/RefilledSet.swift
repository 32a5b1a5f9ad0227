internal import SyncCore

/// A set that a member brings back, whose outer MAC, hashes and structure were checked.
struct RefilledSet: Sendable {
    let upload: Upload
    /// Nil where it was dropped, or never sent to who brings the set back.
    let body: [UInt8]?
    /// What the device signed; nil without a body.
    let content: PushedSet.Content?
    /// The chunks that came along, by hash.
    let chunks: [Digest: [UInt8]]
    /// What an earlier log of this server said of the set, where its receipt proves it.
    let proven: SetName.Judgement?
    /// Why that log did not take it, as who brings it back says.
    let reason: String
}
