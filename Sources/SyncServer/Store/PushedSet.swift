internal import SyncCore

/// A set whose outer MAC, hashes and structure were checked, on its way into the log.
struct PushedSet: Sendable {
    let upload: Upload
    let body: [UInt8]
    let content: Content
    /// The chunks that came along, by hash; each was hashed and unpacked.
    let chunks: [Digest: [UInt8]]

    /// What the device signed, as far as this server understands it.
    enum Content: Sendable {
        /// Changes.
        case opened(ChangeSet)
        /// Something that is authentic and no good here: its verdict and the reason.
        case unusable(Verdict, reason: String)
    }
}
