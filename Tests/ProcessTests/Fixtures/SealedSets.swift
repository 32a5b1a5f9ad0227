import Foundation
import SyncCore
import Testing

/// What a device exported that recorded or imported, edited and synced.
struct SealedSets {
    let path: String
    let keysPath: String
    let bytes: [UInt8]
    private let spaces: [Identifier: SpaceKeys]
    private let device: DeviceKeys
    // Holds the folder.
    private let site: Site

    init(_ site: Site) async throws {
        let boat = Device("boat", in: site)
        let (sealed, keys) = (site.path + "/sealed", site.path + "/keys")
        try await site.serving { _ in
            try await boat("init", "--name", "boat")
            try await Self.record(with: boat, in: site)
            try await boat("join", try await site.invite())
            let id = try #require(try await boat.tracks().first?.id)
            for number in 1...5 {
                try await boat("tracks", "rename", id, "Größe \(number) ⛵️")
                let zones = "100,120,140,160,\(180 + number)"
                try await boat("settings", "set", "heartRateZones", zones)
                try await boat("sync")
            }
            try await boat("export", "--sealed", sealed)
            try await boat("export", "--keys", keys)
        }
        let replica = try Replica(path: boat.path + "/replica.db")
        var spaces: [Identifier: SpaceKeys] = [:]
        for space in try await replica.read({ try $0.spaces.all() }) {
            spaces[space.id] = try await replica.read { try $0.spaces.keys(of: space.id) }
        }
        self.spaces = spaces
        device = try await replica.read { try $0.identity.deviceKeys() }
        (path, keysPath, self.site) = (sealed, keys, site)
        bytes = Array(try Data(contentsOf: URL(filePath: sealed)))
    }

    private static func record(with boat: Device, in site: Site) async throws {
        guard let shared = Inputs.shared else {
            let file = try site.file("a.gpx", Inputs.gpx(name: "generated", points: 9000))
            try await boat("import", file)
            return
        }
        try await boat("record", "--nmea", shared + "/nmea/bundg_zeus_9.log")
        try await boat("import", shared + "/gpx/mtk_logger_m241_multiple_tracks.gpx")
    }

    /// Opens every set of a CBOR sequence of push items; throws at the first that is not as it
    /// must be.
    func count(in bytes: [UInt8]) throws -> Int {
        var decoder = CBORDecoder(bytes)
        var heads: [Identifier: ReplicaHead] = [:]
        var chains = spaces.mapValues { ControlChain(of: $0.space) }
        var count = 0
        while !decoder.isAtEnd {
            let item = try PushItem(decoding: try decoder.item())
            let upload = try Upload(parsing: item.upload)
            let header = upload.header
            let head = heads[header.replica]
            guard header.sequence == (head?.sequence ?? 0) + 1,
                header.previous == head?.hash ?? .zero
            else { throw Broken.chain }
            heads[header.replica] = ReplicaHead(sequence: header.sequence, hash: upload.hash)
            guard let keys = spaces[header.space], let body = item.body else { throw Broken.set }
            if upload.isControl {
                try chains[header.space]?.apply(ControlSet(upload, body: body))
            } else {
                _ = try ChangeSet(relaying: upload, body: body, from: device)
                _ = try ChangeSet(opening: upload, body: body, with: keys)
            }
            let names = Set(header.chunks.map(\.hash))
            guard item.chunks.allSatisfy({ names.contains(Digest(of: $0)) }) else {
                throw Broken.chunk
            }
            count += 1
        }
        return count
    }

    /// What a file says that none of its sets says by itself.
    private enum Broken: Error {
        case chain, set, chunk
    }
}
