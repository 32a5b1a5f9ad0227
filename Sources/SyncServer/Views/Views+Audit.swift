internal import SyncCore

extension Views {
    /// Returns the sums of a space's view, or nil if it is not at `position` or has sets pending.
    func sums(
        of space: Identifier,
        _ scope: AuditScope,
        at position: UInt64
    ) async throws -> [AuditSum]? {
        guard try await fingerprint(of: space, at: position) != nil else { return nil }
        let (cursor, sums) = try await replica(of: space).read { try $0.audit.sums(space, scope) }
        return cursor.position == position ? sums : nil
    }

    /// Deletes a view, so that the next call rebuilds it from the log.
    func rebuild(_ space: Identifier) async {
        await waitForFeed(of: space)
        discard(space)
    }
}

/// Limits how often a view is rebuilt at the request of devices.
///
/// A device asks for a rebuild when fingerprints differ. Repeating it soon shows nothing new, and a
/// rebuild reads the whole log.
final class RebuildPace: Sendable {
    private let last = Locked<[Identifier: UnixTime]>([:])

    /// The limit of remembered spaces; above it all times are forgotten.
    private static let spaceLimit = 10_000
    private static let pauseSeconds: Int64 = 600

    /// Counts a rebuild; returns the seconds to wait if the last one was less than 10 minutes ago.
    func secondsTooEarly(_ space: Identifier, at now: UnixTime) -> Int? {
        last.withLock { last in
            let seconds = last[space].map { (now.milliseconds - $0.milliseconds) / 1000 }
            // A clock that was set back must not prolong the wait.
            if let seconds, (0..<Self.pauseSeconds).contains(seconds) {
                return Int(Self.pauseSeconds - seconds)
            }
            if last.count >= Self.spaceLimit { last = [:] }
            last[space] = now
            return nil
        }
    }
}
