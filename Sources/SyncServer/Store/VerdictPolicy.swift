internal import SyncCore

/// The rules that decide the verdict on an authentic change set.
///
/// A verdict is permanent, so the rules are pure functions in one place.
struct VerdictPolicy {
    let admission: AdmissionPolicy
    /// The greatest stamp time that the space has accepted so far.
    let greatest: UInt64
    let now: UnixTime
    /// The collections that the server knows; editors may write all rows of others.
    let collections: CollectionRegistry

    /// How far ahead of the server's clock a stamp may be.
    static let aheadMilliseconds: Int64 = 5 * 60 * 1000

    /// Returns the verdict on a change set and its reason, which is empty for `accepted`.
    ///
    /// - Parameter answer: what becomes of the set by the control chain.
    func verdict(
        on pushed: PushedSet,
        _ answer: AdmissionPolicy.Answer
    ) -> (verdict: Verdict, reason: String) {
        switch (answer, pushed.content) {
        case (.void, _), (.pending, _): return (.refused, "card")
        case (_, .control): return (.refused, "schema")
        case (_, .unusable(.refused, let reason)): return (.refused, reason)
        case (.held, _):
            // Once it is adopted, it counts with its stamps.
            return isInTime(pushed.upload.header)
                ? (.held, LogDecision.cut) : (.refused, "clock")
        case (.valid, .unusable(let verdict, let reason)): return (verdict, reason)
        case (.valid(let role), .opened(let set)): return verdict(on: set, as: role)
        }
    }

    private func verdict(
        on set: ChangeSet,
        as role: Role
    ) -> (verdict: Verdict, reason: String) {
        let isAllowed = admission.author(of: set.header, as: role).map {
            admission.allows(set.changes, by: $0, collections)
        }
        guard isAllowed == true else { return (.refused, LogDecision.role) }
        return isInTime(set.header) ? (.accepted, "") : (.refused, "clock")
    }

    private func isInTime(_ header: Header) -> Bool {
        header.stamps.upperBound <= bound(cells: header.cellCount)
    }

    /// Returns max(now + 5 minutes, greatest accepted stamp + number of cells).
    ///
    /// The second term keeps a space writable after it accepted a stamp from a clock that was
    /// ahead.
    private func bound(cells: Int) -> UInt64 {
        let wall = UInt64(max(now.milliseconds + Self.aheadMilliseconds, 0)) << 16
        return max(wall, greatest + UInt64(cells))
    }
}
