@testable import SyncCore

@testable import SyncServer

/// Everything that the contract lets a caller see of a store, to compare two moments.
struct StoreState: Equatable {
    private struct Entry: Equatable {
        let position: UInt64
        let name: SetName
        let verdict: Verdict?
        let receipt: [UInt8]
        let chain: Digest
        let upload: [UInt8]?
        let body: [UInt8]?

        init(_ row: LogRow, in space: Identifier) {
            position = row.position
            name = row.name(in: space)
            verdict = row.verdict
            receipt = row.receipt
            chain = row.chain
            upload = row.upload
            body = row.body
        }
    }

    private struct Space: Equatable {
        let extent: SpaceExtent
        let entries: [Entry]
        let heads: [Identifier: ReplicaState]
        let held: [[UInt8]]
        let controls: [[UInt8]]
        let mark: BackupMark?
    }

    private let spaces: [Space]
    private let chunks: [ChunkPlace: [UInt8]]
    private let wanted: Set<ChunkPlace>
    private let revocations: Set<Identifier>
    private let devices: [[Device]]
    private let memberships: [[Membership]]

    /// Reads the accounts of some people, and the spaces that they own.
    init(of store: any Store, authors: [Author]) async throws {
        var spaces: [Space] = []
        for extent in try await store.readSnapshot({ try $0.spaces() }) {
            spaces.append(try await Self.space(extent, store))
        }
        self.spaces = spaces
        (chunks, wanted, revocations) = try await store.readSnapshot { snapshot in
            var chunks: [ChunkPlace: [UInt8]] = [:]
            try snapshot.eachChunk { chunks[$0] = $1 }
            return (chunks, try snapshot.wantedChunks(), try snapshot.revocations())
        }
        var (devices, memberships): ([[Device]], [[Membership]]) = ([], [])
        for author in authors {
            devices.append(try await store.devices(of: author.user))
            memberships.append(try await store.spaces(of: author.device))
        }
        (self.devices, self.memberships) = (devices, memberships)
    }

    private static func space(
        _ extent: SpaceExtent,
        _ store: any Store
    ) async throws -> Space {
        let id = extent.space
        let owner = try await store.chain(of: id)?.liveOwner ?? .zero
        let (entries, heads) = try await store.readSnapshot { snapshot in
            var entries: [Entry] = []
            try snapshot.eachEntry(of: id) { entries.append(Entry($0, in: id)) }
            let records = try snapshot.heads(of: id)
            let heads = Dictionary(records.map { ($0.replica, $0.state) }) { first, _ in first }
            return (entries, heads)
        }
        return Space(
            extent: extent,
            entries: entries,
            heads: heads,
            held: try await store.held(in: id, for: owner, byteLimit: .max),
            controls: try await store.controls(of: id, from: 0),
            mark: try await store.backupMark(of: id, for: owner)
        )
    }
}

extension ControlChain {
    /// A live device of an owner.
    var liveOwner: Identifier? { cards.keys.sorted().first { role(ofDevice: $0) == .owner } }
}
