internal import SyncCore

/// A device or a recovery code as the control chains admit it.
struct Device: Hashable, Sendable {
    let id: Identifier
    let user: Identifier
    let name: String
    let kind: CardKind
    let keyEpoch: UInt64
    /// When the server accepted its card.
    let enrolled: UnixTime
    let isRevoked: Bool
}
