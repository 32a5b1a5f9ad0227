internal import SyncCore

/// A change set that waits for the decision of an owner or admin.
struct HeldSet: Hashable, Sendable {
    let replica: Identifier
    let sequence: UInt64
    let reason: String
    /// The device that sealed it.
    let device: Identifier
    /// The device's name, or empty if the device is unknown.
    let deviceName: String
    let cellCount: Int
    /// When the server received it.
    let received: UnixTime
}

/// The decision on a held set.
enum HeldDecision: String, CaseIterable, Sendable {
    /// The set counts from the position of its adoption.
    case adopt
    /// The set never counts.
    case refuse
}
