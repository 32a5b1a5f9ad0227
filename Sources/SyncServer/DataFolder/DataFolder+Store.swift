internal import SyncCore

/// The only place that chooses the implementation of a server's store.
extension DataFolder {
    /// Opens the store for serving, or creates one of a new epoch, and replays revocations.
    func openStore(_ keys: ServerKeys, reserveByteCount: Int64 = 0) async throws -> any Store {
        let store = try SQLiteStore(
            path: store,
            receipts: keys.receiptSecret,
            newEpoch: Replica.randomIdentifier(),
            reserveByteCount: reserveByteCount
        )
        try await store.replayRevocations(try revocations)
        try await noteRevocations(of: store)
        return store
    }

    /// Adds revocations to the file that the server stored and did not note before it stopped.
    private func noteRevocations(of store: any Store) async throws {
        let noted = Set(try revocations)
        let stored = try await store.readSnapshot { try $0.revocations() }
        try appendRevocations(of: stored.subtracting(noted).sorted())
    }

    /// Opens a store for inspection or a copy, damaged or not.
    ///
    /// An older store is migrated if `migrates` is true; otherwise it throws
    /// ``StoreError/outdated``.
    ///
    /// - Parameter warn: receives the words for commits that the disk lost: no later process finds that.
    func openExistingStore(
        receipts: Secret,
        migrates: Bool = false,
        warn: (String) -> Void
    ) throws -> any Store {
        let store = try SQLiteStore(existing: store, receipts: receipts, migrates: migrates)
        if store.hasLostCommits { warn("store.db: " + SQLiteStore.lostCommits) }
        return store
    }
}
