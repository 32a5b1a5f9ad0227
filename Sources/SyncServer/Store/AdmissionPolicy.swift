internal import SyncCore

/// Decides what becomes of an authentic change set: the verdict is for ever, so the rules are
/// here, pure and in one place.
struct AdmissionPolicy {
    /// The role of the person in the space.
    let role: Role
    /// The person.
    let user: Identifier
    /// The person's devices, revoked ones too.
    let devices: Set<Identifier>
    /// The greatest stamp time that this space accepted so far.
    let greatest: UInt64
    /// The server's wall clock.
    let now: UnixTime
    /// The kinds of data that the server knows; rows of others may be written by every editor.
    let collections: CollectionRegistry

    /// How far ahead of the server's clock a stamp may be.
    static let aheadMilliseconds: Int64 = 5 * 60 * 1000

    /// The verdict and, unless it is `accepted`, its reason.
    func verdict(on pushed: PushedSet) -> (verdict: Verdict, reason: String) {
        switch pushed.content {
        case .opened(let set): verdict(on: set)
        case .unusable(let verdict, let reason): (verdict, reason)
        }
    }

    private func verdict(on set: ChangeSet) -> (verdict: Verdict, reason: String) {
        if role == .viewer || set.changes.contains(where: isForeign) {
            return (.refused, "role")
        }
        guard set.header.stamps.upperBound <= bound(cells: set.header.cellCount) else {
            return (.refused, "clock")
        }
        return (.accepted, "")
    }

    /// max(now + 5 minutes, greatest accepted stamp + number of cells): one wrong clock never
    /// locks others out.
    private func bound(cells: Int) -> UInt64 {
        let wall = UInt64(max(now.milliseconds + Self.aheadMilliseconds, 0)) << 16
        return max(wall, greatest + UInt64(cells))
    }

    /// Whether a change writes a row that only another person or device may write.
    private func isForeign(_ change: Change) -> Bool {
        switch collections[change.key.collection]?.owner(of: change.key.row) {
        case nil: false
        case .user(let id): id != user
        case .device(let id): !devices.contains(id)
        case .nobody: true
        }
    }
}
