internal import SyncCore

extension Views {
    /// The sums of a space's view, nil where it does not stand at `position` or cannot read all.
    func sums(
        of space: Identifier,
        _ scope: AuditScope,
        at position: UInt64
    ) async throws -> [AuditSum]? {
        guard try await fingerprint(of: space, at: position) != nil else { return nil }
        let (cursor, sums) = try await replica(of: space).read { try $0.audit.sums(space, scope) }
        return cursor.position == position ? sums : nil
    }

    /// Throws a view away, so that the next question builds it again from the log.
    func rebuild(_ space: Identifier) async {
        await waitForFeed(of: space)
        discard(space)
    }
}

/// How often each view may be built anew because a device asks for it.
///
/// A device asks when a fingerprint differs; one that asks again soon would learn nothing new, and
/// building costs as much as reading the whole log.
final class RebuildPace: Sendable {
    private let last = Locked<[Identifier: UnixTime]>([:])

    /// So many views' times are kept; that is as many as a server has spaces of busy people.
    private static let spaceLimit = 10_000
    private static let pauseSeconds: Int64 = 600

    /// Counts a rebuild; the seconds to wait where it is one too many.
    func secondsTooEarly(_ space: Identifier, at now: UnixTime) -> Int? {
        last.withLock { last in
            let seconds = last[space].map { (now.milliseconds - $0.milliseconds) / 1000 }
            // A clock that was set back is no reason to wait longer.
            if let seconds, (0..<Self.pauseSeconds).contains(seconds) {
                return Int(Self.pauseSeconds - seconds)
            }
            if last.count >= Self.spaceLimit { last = [:] }
            last[space] = now
            return nil
        }
    }
}
