internal import FoundationEssentials
internal import SyncCore

/// For each space an ordinary replica, fed from the log after its commits.
///
/// A view is derived: it can be thrown away at any time and is built again from the log. It opens
/// sets by the outer MAC, since the server holds no space key.
actor Views {
    private let store: any Store
    private let folder: String
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
        keys: @escaping @Sendable (_ device: Identifier, _ epoch: UInt64) -> DeviceKeys
    ) {
        self.store = store
        self.folder = folder
        self.keys = keys
    }

    /// The fingerprint of a space's view, nil where it does not stand at `position`.
    ///
    /// A view that is damaged, or does not fit the log any more, is worth nothing: the error is
    /// told once, and the next question builds it again. Any other error leaves it as it is.
    func fingerprint(of space: Identifier, at position: UInt64) async throws -> Fingerprint? {
        do {
            let view = try await replica(of: space)
            try await feed(space, view)
            let summary = try await view.spaces().first { $0.id == space }
            return summary?.merged.position == position ? summary?.fingerprint : nil
        } catch {
            if Self.isWorthless(after: error) { discard(space) }
            throw error
        }
    }

    /// One feed at a time for a space; who comes later waits for it and looks again.
    private func feed(_ space: Identifier, _ view: Replica) async throws {
        while let feed = feeds[space] { _ = await feed.result }
        let feed = Task { [store] in
            var isBehind = true
            while isBehind {
                let merged = try await view.spaces().first { $0.id == space }?.merged ?? .none
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
                    _ = try await view.merge(page, into: space, at: moment)
                }
                isBehind = page.position < page.head
            }
        }
        feeds[space] = feed
        defer { feeds[space] = nil }
        try await feed.value
    }

    private func replica(of space: Identifier) async throws -> Replica {
        if let replica = open[space] { return replica }
        if open.count >= Self.openLimit { open = [:] }
        let replica = try view(of: space)
        let epoch = try await replica.spaces().first?.merged.epoch ?? .zero
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
            return try Replica(viewAt: path(of: space), of: space, keys: keys)
        } catch  where Self.isWorthless(after: error) {
            discard(space)
            return try Replica(viewAt: path(of: space), of: space, keys: keys)
        }
    }

    /// Whether an error shows that a view is damaged or does not fit its log.
    private static func isWorthless(after error: any Error) -> Bool {
        switch error {
        case is MigrationError: true
        case let error as DatabaseError: error.kind == .corrupt
        case ReplicaError.damagedRecord, ReplicaError.historyChanged, ReplicaError.malformedPage,
            StoreError.beyondHead:
            true
        default: false
        }
    }

    private func discard(_ space: Identifier) {
        open[space] = nil
        for suffix in ["", "-wal", "-shm"] {
            // A file that is not there is as good as removed.
            try? FileManager.default.removeItem(atPath: path(of: space) + suffix)
        }
    }

    private func path(of space: Identifier) -> String {
        "\(folder)/\(space).db"
    }
}
