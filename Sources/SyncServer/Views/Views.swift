internal import SyncCore

/// A replica of each space at the server, fed from the log.
///
/// A view is derived data: it can be deleted at any time and is rebuilt from the log. The log's chain
/// hash verifies its sets, because the server holds no space key.
actor Views {
    private let store: any Store
    private let folder: String
    private let volume: FileSystem
    private var open: [Identifier: Replica] = [:]
    private var feeds: [Identifier: Task<Void, any Error>] = [:]

    /// The limit of open views; opening one more closes all others.
    private static let openLimit = 256
    /// The descriptors of all open views: each has a database, a log and an index file.
    static let descriptorLimit = openLimit * 3
    private static let pageByteLimit = 4 * 1024 * 1024
    /// A view writes nothing that has a time.
    private static let noTime = Moment(
        wall: UnixTime(milliseconds: 0),
        uptimeMilliseconds: 0,
        boot: .zero
    )

    /// Creates the views of a store.
    ///
    /// - Parameter folder: the folder of the views' files, which must exist.
    init(
        store: any Store,
        folder: String,
        on volume: FileSystem = .system
    ) {
        self.store = store
        self.folder = folder
        self.volume = volume
    }

    /// Returns the fingerprint of a space's view.
    ///
    /// Nil if the view is not at `position`, or if it has sets pending that this server cannot
    /// read. A view that is damaged or does not match the log is deleted; the error is thrown once,
    /// and the next call rebuilds the view. Other errors leave the view as it is.
    func fingerprint(of space: Identifier, at position: UInt64) async throws -> Fingerprint? {
        do {
            let view = try await replica(of: space)
            try await feed(space, view)
            let summary = try await view.read { try $0.spaces.all() }.first { $0.id == space }
            guard let summary, summary.merged.position == position, !summary.hasPending else {
                return nil
            }
            return summary.fingerprint
        } catch {
            if Self.isWorthless(after: error) { discard(space) }
            throw error
        }
    }

    /// Merges the rest of the log into a view; concurrent calls for one space run in turn.
    private func feed(_ space: Identifier, _ view: Replica) async throws {
        await waitForFeed(of: space)
        let feed = Task { [store] in
            var isBehind = true
            while isBehind {
                let merged =
                    try await view.read { try $0.spaces.all() }.first { $0.id == space }?.merged
                    ?? .none
                let page = try await store.page(
                    of: space,
                    after: merged.position,
                    for: nil,
                    byteLimit: Self.pageByteLimit
                )
                if !page.entries.isEmpty {
                    _ = try await view.write {
                        try $0.merger.merge(page, into: space, at: Self.noTime)
                    }
                }
                isBehind = page.position < page.head
                // A page without entries before the head means a gap in the log; retrying would not
                // end.
                guard !isBehind || !page.entries.isEmpty else {
                    throw ReplicaError.malformedPage(space: space)
                }
            }
            try await Self.complete(view, of: space, from: store)
        }
        feeds[space] = feed
        defer { end(feed, of: space) }
        try await feed.value
    }

    /// Merges sets that the log lacked, or whose bodies it lacked, as far as devices have brought them.
    private static func complete(
        _ view: Replica,
        of space: Identifier,
        from store: any Store
    ) async throws {
        let positions = try await view.read {
            try $0.incomplete.positions(in: space, after: 0, at: Self.noTime.wall)
        }
        guard !positions.isEmpty else { return }
        let entries = try await store.entries(
            of: space,
            at: positions,
            for: nil,
            byteLimit: pageByteLimit
        )
        _ = try await view.write {
            try $0.merger.mergeAgain(
                entries,
                at: positions,
                MergeOutcome(),
                in: space,
                at: Self.noTime
            )
        }
    }

    /// Waits until no feed of a view is running.
    ///
    /// The first waiter to resume removes the finished feed. Its owner needs this actor to remove
    /// it, and awaiting a finished task does not suspend, so the loop would never yield the actor.
    func waitForFeed(of space: Identifier) async {
        while let feed = feeds[space] {
            _ = await feed.result
            end(feed, of: space)
        }
    }

    private func end(_ feed: Task<Void, any Error>, of space: Identifier) {
        if feeds[space] == feed { feeds[space] = nil }
    }

    func replica(of space: Identifier) async throws -> Replica {
        if let replica = open[space] { return replica }
        if open.count >= Self.openLimit { open = [:] }
        let replica = try view(of: space)
        let epoch = try await replica.read { try $0.spaces.all() }.first?.merged.epoch ?? .zero
        guard epoch == .zero || epoch == store.epoch else {
            discard(space)
            return try await self.replica(of: space)
        }
        open[space] = replica
        return replica
    }

    /// Opens a view's file, or rebuilds it if it is damaged.
    private func view(of space: Identifier) throws -> Replica {
        do {
            return try Replica(viewAt: path(of: space), on: volume, of: space)
        } catch  where Self.isWorthless(after: error) {
            discard(space)
            return try Replica(viewAt: path(of: space), on: volume, of: space)
        }
    }

    /// Whether an error shows that a view is or may be damaged, or does not match its log.
    static func isWorthless(after error: any Error) -> Bool {
        switch error {
        case is MigrationError: true
        // After an I/O error it is unknown which part of the file became durable.
        case let error as DatabaseError: [.corrupt, .failing].contains(error.kind)
        case ReplicaError.damagedRecord, ReplicaError.historyChanged, ReplicaError.malformedPage,
            StoreError.beyondHead:
            true
        default: false
        }
    }

    func discard(_ space: Identifier) {
        open[space] = nil
        Self.remove(path(of: space), from: volume)
    }

    /// Removes a view's file and the files beside it.
    static func remove(_ path: String, from volume: FileSystem = .system) {
        for suffix in ["", "-wal", "-shm"] { volume.remove(path + suffix) }
    }

    private func path(of space: Identifier) -> String {
        "\(folder)/\(space).db"
    }
}
