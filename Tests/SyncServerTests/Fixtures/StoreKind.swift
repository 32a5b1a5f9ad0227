import SyncCore

@testable import SyncServer

/// The implementations of ``Store``: each passes the whole contract.
enum StoreKind: CaseIterable, Sendable {
    case sqlite

    /// A store in a folder, which may have been there before.
    func open(in folder: TestFolder) throws -> any Store {
        switch self {
        case .sqlite:
            try SQLiteStore(
                path: folder.path + "/store.db",
                receipts: Author.serverKeys.receiptSecret,
                newEpoch: Replica.randomIdentifier()
            )
        }
    }

    /// A store of its own on a machine that goes off.
    func machine() -> any StoreMachine {
        switch self {
        case .sqlite: SQLiteMachine()
        }
    }
}

/// A store with what the tests of its contract ask about.
struct StoreBed: Sendable {
    let kind: StoreKind
    let folder: TestFolder
    let store: any Store
    /// 2026-04-24.
    let now = UnixTime(milliseconds: 1_777_000_000_000)

    init(_ kind: StoreKind) throws {
        self.kind = kind
        folder = try TestFolder()
        store = try kind.open(in: folder)
    }

    /// A bed with the space of `author`, who owns it.
    init(_ kind: StoreKind, with author: Author) async throws {
        try self.init(kind)
        try await author.person.found(in: store, at: now)
    }

    func append(_ sets: [PushedSet], by author: Author) async throws -> [PushResult] {
        try await store.append(sets, to: author.space, by: author.row, at: now)
    }

    func head(for author: Author) async throws -> ReplicaHead? {
        try await store.head(of: author.replica, in: author.space, for: author.device)?.head
    }

    func page(
        after position: UInt64 = 0,
        for author: Author,
        byteLimit: Int = 1 << 20
    ) async throws -> Page {
        try await store.page(
            of: author.space,
            after: position,
            for: author.device,
            byteLimit: byteLimit
        )
    }
}

extension Page {
    /// The entries, read.
    var logEntries: [LogEntry] {
        get throws { try entries.map { try LogEntry(decoding: $0[...]) } }
    }
}
