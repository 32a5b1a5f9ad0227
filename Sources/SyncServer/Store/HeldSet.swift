internal import SyncCore

/// A set that the server keeps until an admin decides.
struct HeldSet: Hashable, Sendable {
    let replica: Identifier
    let sequence: UInt64
    /// Why it is held.
    let reason: String
    /// The device that sealed it.
    let device: Identifier
    /// What its person called it; empty where it is not known any more.
    let deviceName: String
    let cellCount: Int
    /// When it came.
    let received: UnixTime
}

/// What becomes of a held set.
enum HeldDecision: String, CaseIterable, Sendable {
    /// It counts from now on.
    case adopt
    /// It never counts.
    case refuse
}
