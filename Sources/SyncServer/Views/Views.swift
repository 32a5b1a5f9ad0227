internal import SyncCore

/// For each space an ordinary replica, fed from the log after its commits.
///
/// A view is derived: it can be thrown away at any time and is built again from the log. It opens
/// sets by the outer MAC, since the server holds no space key.
actor Views {
    private let store: any Store
    private let folder: String
    private let volume: FileSystem
    private let keys: @Sendable (_ device: Identifier, _ epoch: UInt64) -> DeviceKeys
    private var open: [Identifier: Replica] = [:]
    private var feeds: [Identifier: Task<Void, any Error>] = [:]

    /// So many views stay open; another one closes the rest.
    private static let openLimit = 256
    /// The files of as many databases, each with its log and index.
    static let descriptorLimit = openLimit * 3
    private static let pageByteLimit = 4 * 1024 * 1024

    /// - Parameter folder: where the views' files are; it must exist.
    init(
        store: any Store,
        folder: String,
        on volume: FileSystem = .system,
        keys: @escaping @Sendable (_ device: Identifier, _ epoch: UInt64) -> DeviceKeys
    ) {
        self.store = store
        self.folder = folder
        self.volume = volume
        self.keys = keys
    }

    /// The fingerprint of a space's view, nil where it does not stand at `position` or has adopted
    /// what this server cannot read.
    ///
    /// A view that is damaged, or does not fit the log any more, is worth nothing: the error is
    /// told once, and the next question builds it again. Any other error leaves it as it is.
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

    /// One feed at a time for a space; who comes later waits for it and looks again.
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
                    let moment = Moment(
                        wall: UnixTime(milliseconds: 0),
                        uptimeMilliseconds: 0,
                        boot: .zero
                    )
                    _ = try await view.write { try $0.merger.merge(page, into: space, at: moment) }
                }
                isBehind = page.position < page.head
                // A log with a gap goes no further, however often it is asked.
                guard !isBehind || !page.entries.isEmpty else {
                    throw ReplicaError.malformedPage(space: space)
                }
            }
        }
        feeds[space] = feed
        defer { end(feed, of: space) }
        try await feed.value
    }

    /// Waits until nobody feeds a view.
    ///
    /// Whoever goes on first takes the finished feed away: its owner may need this actor for that,
    /// and waiting for what is finished does not give it up.
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

    /// Opens a view's file; one that is damaged is made anew from the log.
    private func view(of space: Identifier) throws -> Replica {
        do {
            return try Replica(viewAt: path(of: space), on: volume, of: space, keys: keys)
        } catch  where Self.isWorthless(after: error) {
            discard(space)
            return try Replica(viewAt: path(of: space), on: volume, of: space, keys: keys)
        }
    }

    /// Whether an error shows that a view is damaged, may be, or does not fit its log.
    static func isWorthless(after error: any Error) -> Bool {
        switch error {
        case is MigrationError: true
        // After a failing disk nobody can tell what of a file became durable.
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

    /// Removes a view's file with what lies beside it.
    static func remove(_ path: String, from volume: FileSystem = .system) {
        for suffix in ["", "-wal", "-shm"] {
            volume.remove(path + suffix)
        }
    }

    private func path(of space: Identifier) -> String {
        "\(folder)/\(space).db"
    }
}
