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
