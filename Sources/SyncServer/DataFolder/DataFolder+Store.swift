internal import SyncCore

/// Where it is chosen what a server keeps its store in.
extension DataFolder {
    /// Opens the store to serve from it, or makes one of a new epoch, and replays revocations.
    ///
    /// - Parameter receipts: the key with which the server signs what it judged.
    func openStore(
        receipts: Secret,
        newEpoch: Identifier,
        reserveByteCount: Int64 = 0
    ) async throws -> any Store {
        let store = try SQLiteStore(
            path: store,
            receipts: receipts,
            newEpoch: newEpoch,
            reserveByteCount: reserveByteCount
        )
        try await store.replayRevocations(try revocations)
        return store
    }

    /// Opens the store of a server to look at it or copy it, damaged or not.
    ///
    /// A store of an older program is brought up to date where `migrates` says so, and else is
    /// ``StoreError/outdated``.
    func openExistingStore(receipts: Secret, migrates: Bool = false) throws -> any Store {
        try SQLiteStore(existing: store, receipts: receipts, migrates: migrates)
    }
}
