internal import SyncCore

/// A pushed change set whose outer MAC, hashes and structure were checked.
struct PushedSet: Sendable {
    let upload: Upload
    let body: [UInt8]
    let content: Content
    /// The chunks that were uploaded with it, by hash; each was hashed and decompressed.
    let chunks: [Digest: [UInt8]]
    /// The device's signature over the set as the head of its replica.
    var headSignature: Signature?

    /// The signed content, as far as this server understands it.
    enum Content: Sendable {
        case opened(ChangeSet)
        case control(ControlSet)
        /// Authentic content that cannot be merged, with its verdict and reason.
        case unusable(Verdict, reason: String)
    }

    /// Whether the set takes rights away, for which the disk has a reserve.
    var shutsOut: Bool {
        guard case .control(let set) = content else { return false }
        return set.body.actions.contains {
            switch $0 {
            case .revoke, .close, .remove, .leave, .setRole: true
            default: false
            }
        }
    }
}
