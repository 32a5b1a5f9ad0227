import Glibc

@testable import SyncCore

/// One device of a test: a replica in a folder of its own, and clocks that the test moves.
final class TestDevice {
    /// The keys of the space that every device of a test is in.
    static var spaceKeys: SpaceKeys { TestSpace.shared.keys }
    static var space: Identifier { spaceKeys.space }
    static var user: Identifier { TestSpace.shared.chain.user ?? .zero }

    let number: UInt64
    let folder: TemporaryFolder
    let file: String
    let keys: DeviceKeys
    private(set) var replica: Replica
    /// Milliseconds by which the wall clock is wrong.
    var wallError: Int64 = 0
    /// Milliseconds by which this boot began later than the first one.
    var bootDelay: Int64 = 0
    /// Which start of the machine this is.
    var boot = Identifier(number: 1)
    /// Whether the device hears the true time from the server.
    var hearsTime = true

    /// Makes a device, not joined yet.
    init(_ number: UInt64, collections: CollectionRegistry = .standard) throws {
        self.number = number
        folder = try TemporaryFolder()
        file = "replica.db"
        keys = DeviceKeys(
            device: TestSpace.keys(of: number).publicKeys.device,
            secrets: [1: Secret(bytes: [UInt8](repeating: UInt8(number & 0xff), count: 32))]
        )
        var random = SplitMix64(seed: number)
        try Replica.create(
            at: folder.path + "/" + file,
            name: "device \(number)",
            now: UnixTime(milliseconds: Time.start),
            using: &random
        )
        replica = try Replica(path: folder.path + "/" + file, collections: collections)
    }

    /// Opens a copy of another device's files, under another name in the same folder.
    private init(clone: TestDevice, file: String) throws {
        number = clone.number
        folder = clone.folder
        self.file = file
        keys = clone.keys
        replica = try Replica(path: clone.folder.path + "/" + file)
    }

    /// Makes a device that joined.
    static func joined(
        _ number: UInt64,
        collections: CollectionRegistry = .standard,
        at now: Int64 = Time.start
    ) async throws -> TestDevice {
        let device = try TestDevice(number, collections: collections)
        try await device.join(at: now)
        return device
    }

    func join(at now: Int64 = Time.start) async throws {
        let (space, number) = (TestSpace.shared, number)
        let replicaID = try await replica.read { try $0.identity.current() }.replica
        let entrance = TestSpace.entrance(of: number, as: replicaID)
        try await replica.write { [enrolment, now = moment(now)] in
            try $0.enrolment.enter(
                space.keys.space,
                by: entrance,
                enrolment,
                secret: space.secret,
                at: now
            )
        }
        try await keepControls()
    }

    /// Lets nobody offer the control sets to the log of the test.
    private func keepControls() async throws {
        try await replica.damage("UPDATE sealed SET receipt = NULL WHERE control IS NOT NULL")
        try await replica.damage("DELETE FROM chunk WHERE kind = 2")
    }

    /// Gets the control sets again that damage has taken, as a server sends them.
    func getControls(at now: Int64) async throws {
        try await replica.write { [enrolment, now = moment(now)] in
            try $0.enrolment.host(enrolment, at: now)
        }
        try await keepControls()
    }

    var enrolment: Enrolment {
        Enrolment(
            authority: "wake.example:443",
            trust: .authorities,
            deviceKeys: keys,
            controls: TestSpace.shared.entries
        )
    }

    /// Seals what was written; returns how many sets were made.
    @discardableResult
    func seal(at now: Int64) async throws -> Int {
        let moment = moment(now)
        return try await replica.write { try $0.sealer.seal(at: moment) }
    }

    /// Packs what a recorder left; returns its tracks.
    @discardableResult
    func packInterrupted(at now: Int64) async throws -> [Identifier] {
        let time = moment(now)
        return try await replica.write { try $0.recordings.packInterrupted(at: time) }
    }

    /// What the wall clock shows at a true time.
    func wall(_ now: Int64) -> UnixTime {
        UnixTime(milliseconds: now + wallError)
    }

    func moment(_ now: Int64) -> Moment {
        let uptime = now - Time.start + 1_000_000 - bootDelay
        return Moment(wall: wall(now), uptimeMilliseconds: uptime, boot: boot)
    }

    /// What the server's time says of this boot.
    func anchor(at now: Int64) -> ClockAnchor {
        ClockAnchor(
            server: UnixTime(milliseconds: now),
            asked: moment(now),
            answered: moment(now)
        )
    }
}

/// True times of tests.
enum Time {
    static let start: Int64 = 1_790_000_000_000
    static let second: Int64 = 1000
    static let hour: Int64 = 3_600_000
    static let year: Int64 = 365 * 24 * 3_600_000
}

extension TestDevice {
    /// Closes the file and opens it again.
    func restart() throws {
        replica = try Replica(path: folder.path + "/" + file)
    }

    /// Copies the files under another name; `withGuard` says whether the guard comes along.
    func copyFiles(to target: String, withGuard: Bool) async throws {
        try await replica.checkpoint()
        try folder.copy(file, to: target)
        // There is no guard before the first seal.
        if withGuard { try? folder.copy(file + ".seals", to: target + ".seals") }
    }

    /// Puts a copy in place of the file, as a restored backup is.
    func restore(from source: String, withGuard: Bool) async throws {
        try await replica.checkpoint()
        let closed = folder.path + "/" + file
        replica = try Replica(path: folder.path + "/" + source)
        for suffix in ["-wal", "-shm"] { unsafe unlink(closed + suffix) }
        try await replica.checkpoint()
        try folder.copy(source, to: file)
        if withGuard { try folder.copy(source + ".seals", to: file + ".seals") }
        try restart()
    }

    /// Another database of the same folder, as this device.
    func opened(_ file: String) throws -> TestDevice {
        try TestDevice(clone: self, file: file)
    }

    /// Another database on the same disk image.
    func clone(as target: String) async throws -> TestDevice {
        try await copyFiles(to: target, withGuard: true)
        return try TestDevice(clone: self, file: target)
    }

    /// Sets one field of a row of tracks.
    func set(
        _ field: Text,
        _ value: Value,
        of row: Identifier = Identifier(number: 1),
        at now: Int64
    ) async throws {
        let edit = Edit(Key("track", .id(row), field), value)
        try await replica.write { [now = moment(now)] in
            try $0.rows.write([edit], in: Self.space, at: now)
        }
    }

    /// One field's winning value.
    func value(_ field: Text, of row: Identifier = Identifier(number: 1)) async throws -> Value? {
        try await replica.read { try $0.rows.cells("track", .id(row), in: Self.space) }[field]?
            .value
    }

    /// Every winning cell of the space.
    func cells() async throws -> [Key: Cell] {
        try await replica.allCells(in: Self.space)
    }

    var summary: SpaceSummary {
        get async throws {
            let spaces = try await replica.read { try $0.spaces.all() }
            guard let summary = spaces.first(where: { $0.id == Self.space }) else {
                throw ReplicaError.unknownSpace(Self.space)
            }
            return summary
        }
    }
}

extension TestDevice {
    /// What goes wrong in one sync.
    struct Trouble {
        /// The server takes what is pushed; its answer is lost.
        var losesAnswer = false
        /// Nothing is pulled.
        var skipsPull = false
        /// Entries a page.
        var pageLimit = Int.max
        /// Each page comes twice.
        var repeatsPages = false
    }

    /// One sync: the head rule, seal, push, pull; what ``SyncEngine`` does in a round.
    @discardableResult
    func sync(_ log: inout LogDouble, at now: Int64, _ trouble: Trouble = Trouble()) async throws
        -> Int
    {
        log.deviceKeys[keys.device] = keys
        let name = try await replica.read { try $0.identity.current() }.replica
        try await replica.write { [moment = moment(now)] in try $0.sealer.seal(at: moment) }
        var items = try await replica.pushItems(of: Self.space, byteLimit: 1 << 22)
        var results = try log.push(items)
        if trouble.losesAnswer { return items.count }
        if hearsTime {
            try await replica.write { [anchor = anchor(at: now)] in
                try $0.clockPeriods.learn(anchor)
            }
        }
        if case .failed("sequence-gap", let expected)? = results.first {
            items = try await replica.pushItems(
                of: Self.space,
                after: expected - 1,
                byteLimit: 1 << 22
            )
            results = try log.push(items)
        }
        _ = try await replica.write { [items, results] in
            try $0.queue.recordVerdicts(results, of: items)
        }
        let present = try await replica.read { try $0.identity.current() }.replica
        for replicaName in Set([name, present]) {
            guard let head = log.head(of: replicaName),
                try await !replica.read({
                    try $0.queue.isOwnHead(head, by: replicaName, in: Self.space)
                }),
                replicaName == present
            else { continue }
            try await replica.write { [now = wall(now)] in try $0.overlay.renameReplica(at: now) }
        }
        guard !trouble.skipsPull else { return items.count }
        try await pull(log, at: now, trouble)
        let offers = try await replica.read {
            try $0.backfill.offers(of: Self.space, byteLimit: 1 << 22)
        }.items
        let refilled = try log.refill(offers)
        _ = try await replica.write { [now = wall(now)] in
            try $0.backfill.recordOutcome(
                offered: refilled,
                of: offers,
                final: ["fork", "bad-mac"],
                at: now
            )
        }
        return items.count + offers.count
    }

    /// Pulls page after page to the head.
    func pull(_ log: LogDouble, at now: Int64, _ trouble: Trouble = Trouble()) async throws {
        while true {
            let page = log.page(after: try await summary.merged.position, limit: trouble.pageLimit)
            _ = try await replica.write { [moment = moment(now)] in
                try $0.merger.merge(page, into: Self.space, at: moment)
            }
            if trouble.repeatsPages, !page.entries.isEmpty {
                let before = try await summary
                _ = try? await replica.write { [moment = moment(now)] in
                    try $0.merger.merge(page, into: Self.space, at: moment)
                }
                guard try await summary == before else { throw ReplicaError.damagedRecord }
            }
            if page.position == page.head { return }
        }
    }

    /// Syncs until nothing is left to send.
    func settle(_ log: inout LogDouble, at now: Int64) async throws {
        for _ in 0..<12 {
            let pushed = try await sync(&log, at: now)
            let status = try await replica.read { try $0.maintenance.status() }
            if pushed == 0, status.unsealed == 0 { return }
        }
        throw Unsettled()
    }

    struct Unsettled: Error {}

    /// Fetches every chunk that is wanted.
    func fetchChunks(from log: LogDouble) async throws {
        for hash in try await replica.read({ try $0.chunks.wanted(of: Self.space, limit: 1000) }) {
            guard let bytes = log.chunks[hash] else { continue }
            try await replica.write { try $0.chunks.store(bytes, of: hash) }
        }
    }
}

extension Replica {
    /// Brings everything from the write-ahead log into the file, so that it can be copied.
    func checkpoint() throws {
        try database.first("PRAGMA wal_checkpoint(TRUNCATE)") { _ in }
    }

    /// Runs any statement on the file, to damage it.
    func damage(_ sql: String) throws {
        try database.execute(sql)
    }

    /// Every winning cell of a space.
    func allCells(in space: Identifier) throws -> [Key: Cell] {
        let number = try parts.spaces.number(ofSpace: space)
        let collections = try database.all("SELECT DISTINCT collection FROM row") { $0.text(0) }
        var cells: [Key: Cell] = [:]
        for collection in collections {
            for row in try parts.rows.all(number, Text(collection)) {
                for (field, cell) in row.cells { cells[row.key(field)] = cell }
            }
        }
        return cells
    }

    /// Whether anything lies over the base.
    func hasOverlay() throws -> Bool {
        try database.first("SELECT 1 FROM row WHERE length(overlay) > 0", read: { _ in true })
            ?? false
    }
}

extension Replica {
    /// What a request of so many bytes takes.
    func pushItems(
        of space: Identifier,
        after: UInt64? = nil,
        byteLimit: Int
    ) throws -> [[UInt8]] {
        try read {
            var room = RequestRoom(bytes: byteLimit)
            return try $0.queue.items(of: space, after: after, into: &room)
        }
    }
}
