import Foundation

@testable import SyncCore
@testable import SyncServer

/// What a world ended as, in bytes, for `Tests/Interop/worlds.py`, which shares no code with Wake.
///
/// All bytes are hexadecimal.
struct WorldRecord: Encodable {
    let seed: UInt64
    /// The server's master key.
    let master: String
    private(set) var spaces: [Space] = []

    struct Space: Encodable {
        let id: String
        /// The secrets of the inner MAC, by key epoch.
        let keys: [String: String]
        /// The entries of the log, in order.
        let entries: [String]
        /// The chain hash at the end, as the server tells it.
        let chain: String
        /// The fingerprints of the server's view and of each device, by name.
        let fingerprints: [String: String]
    }

    init(of schedule: Schedule, master: Secret) {
        seed = schedule.seed
        self.master = master.bytes.hexadecimal
    }

    mutating func add(_ page: Page, keys: SpaceKeys, fingerprints: [String: Fingerprint]) {
        let secrets = keys.secrets.keys.map { epoch in
            (epoch.bigEndianBytes.hexadecimal, keys.macSecret(epoch: epoch)?.bytes.hexadecimal)
        }
        spaces.append(
            Space(
                id: keys.space.bytes.hexadecimal,
                keys: Dictionary(uniqueKeysWithValues: secrets).compactMapValues { $0 },
                entries: page.entries.map(\.hexadecimal),
                chain: page.chain.bytes.hexadecimal,
                fingerprints: fingerprints.mapValues(\.bytes.hexadecimal)
            )
        )
    }

    func write(into folder: String) throws {
        let file = URL(filePath: folder).appending(path: "world-\(seed).json")
        try JSONEncoder().encode(self).write(to: file)
    }
}

extension World {
    /// Writes into a folder what the world ended as.
    func writeRecord(into folder: String) throws {
        var record = WorldRecord(of: schedule, master: SimulatedServer.master)
        for person in Set(devices.map(\.person)).sorted() {
            let own = devices.filter { $0.person == person && !$0.isGone && $0.replica != nil }
            guard let first = own.first, let space = try ownSpace(of: first) else { continue }
            let (page, keys) = try readPage(of: space, with: first)
            var prints = ["server": try fingerprintAtServer(of: space, at: page.head)]
            for device in own { prints[device.name] = try fingerprint(of: space, on: device) }
            record.add(page, keys: keys, fingerprints: prints.compactMapValues { $0 })
        }
        try record.write(into: folder)
    }
}
