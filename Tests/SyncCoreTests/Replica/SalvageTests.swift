@testable import SyncCore
import Harness
import Testing

/// K6: what is saved of a replica whose file is damaged.
@Suite struct SalvageTests {
    /// A replica with everything in it: accepted sets of two devices, sealed sets that were not
    /// sent, fields that were not sealed, chunks, and a recording that goes on.
    private struct Wrecked {
        let device: TestDevice
        let log: LogDouble
        /// The file as it was, and which table each of its pages belongs to.
        let bytes: [UInt8]
        let owners: [Int: String]
    }

    private static let unsent: [Text: Value] = [
        "name": .text("sealed, not sent"), "sport": .text("after it"), "notes": .text(notes),
        "colour": .text("not sealed"), "gear": .text("late"),
    ]

    /// More than a page has room for, and than compresses into one.
    private static let notes: Text = {
        var random = SplitMix64(seed: 1)
        return Text((0..<9000).map { _ in "\(random.next() % 10)" }.joined())
    }()

    private func wrecked() async throws -> Wrecked {
        let (one, two) = (try await TestDevice.joined(1), try await TestDevice.joined(2))
        var log = LogDouble(keys: TestDevice.spaceKeys)
        for number in 2..<40 as Range<UInt64> {
            let device = number % 2 == 0 ? one : two
            let track = Identifier(number: UInt128(number))
            try await device.set("name", .text(Text("track \(number)")), of: track, at: Time.start)
            try await device.settle(&log, at: Time.start)
        }
        var sail = try await one.replica.write { [now = one.moment(Time.start)] in
            try $0.recordings.start(
                name: "sail",
                sport: nil,
                in: TestDevice.space,
                at: now
            )
        }
        let samples = RecordingTests.samples(count: 3000)
        sail = try await one.replica.write { [sail, now = one.moment(Time.start)] in
            try $0.recordings.append(samples, to: sail, at: now)
        }
        try await one.replica.write { [now = one.moment(Time.start), sail] in
            try $0.recordings.stop(sail, at: now)
        }
        for device in [one, two, one] { try await device.settle(&log, at: Time.start + 1) }
        try await one.set("name", .text("sealed, not sent"), at: Time.start + 2)
        try await one.set("notes", .text(Self.notes), at: Time.start + 2)
        try await one.seal(at: Time.start + 2)
        try await one.set("sport", .text("after it"), at: Time.start + 2)
        try await one.seal(at: Time.start + 2)
        try await one.set("colour", .text("not sealed"), at: Time.start + 3)
        try await one.set("gear", .text("late"), at: Time.start + 4)
        var open = try await one.replica.write { [now = one.moment(Time.start + 5)] in
            try $0.recordings.start(
                name: "open",
                sport: nil,
                in: TestDevice.space,
                at: now
            )
        }
        let tail = RecordingTests.samples(count: 200)
        open = try await one.replica.write { [open, now = one.moment(Time.start + 5)] in
            try $0.recordings.append(tail, to: open, at: now)
        }
        try await one.replica.checkpoint()
        return Wrecked(
            device: one,
            log: log,
            bytes: try one.folder.contents(of: one.file),
            owners: try await one.replica.pageOwners()
        )
    }

    /// Puts bytes in place of the file's, and saves what can be read of them.
    private func salvage(
        _ bytes: [UInt8],
        log: [UInt8]? = nil,
        of wreck: Wrecked
    ) async throws -> (Salvage, Replica) {
        let folder = wreck.device.folder
        for name in ["damaged", "saved"] { folder.remove(name) }
        try folder.write(bytes, to: "damaged")
        if let log { try folder.write(log, to: "damaged-wal") }
        var random = SplitMix64(seed: 0x5a17)
        let salvage = try await Replica.salvage(
            from: folder.path + "/damaged",
            to: folder.path + "/saved",
            at: wreck.device.wall(Time.start + Time.hour),
            using: &random
        )
        #expect(try folder.contents(of: "damaged") == bytes, "the damaged file is only read")
        return (salvage, try Replica(path: folder.path + "/saved"))
    }

    private func unsent(in replica: Replica) async throws -> [Text: Value] {
        let row = Row.id(Identifier(number: 1))
        return try await replica.read { try $0.rows.cells("track", row, in: try $0.spaces.own()) }
            .mapValues(\.value)
    }

    /// Syncs what was saved; then it must be what the log says.
    private func settle(_ wreck: Wrecked) async throws -> LogDouble {
        var log = wreck.log
        let saved = try wreck.device.opened("saved")
        try await saved.getControls(at: Time.start + Time.hour)
        for _ in 0..<3 { try await saved.settle(&log, at: Time.start + 2 * Time.hour) }
        #expect(try await !saved.replica.read { try $0.backfill.hasOrphans(in: TestDevice.space) })
        #expect(try await saved.summary.fingerprint == log.fingerprint())
        #expect(try await saved.cells() == log.cells())
        let faults = try await saved.replica.read { try $0.maintenance.verify() }.faults
        #expect(faults == [])
        return log
    }

    @Test func `K6 a sound replica is saved whole, and syncs`() async throws {
        let wreck = try await wrecked()
        let (salvage, replica) = try await salvage(wreck.bytes, of: wreck)
        #expect(salvage.isSameDevice)
        #expect(salvage.damaged == 0)
        #expect(salvage.pages == wreck.bytes.count / 4096 && salvage.unreadablePages == 0)
        #expect(salvage.samples == 200)
        // No table looks like another.
        let whole = try await wreck.device.replica.read { try $0.maintenance.verify() }
        #expect(salvage.sets == whole.sets)
        #expect(salvage.chunks == whole.chunks)
        #expect(try await unsent(in: replica) == Self.unsent)
        #expect(try await replica.read { try $0.tracks.all(in: TestDevice.space) }.count == 41)
        let log = try await settle(wreck)
        let written = Set(log.accepted.map(\.cell.value))
        for value in Self.unsent.values { #expect(written.contains(value)) }
        #expect(try await wreck.device.opened("saved").cells().count > wreck.log.cells().count)
    }

    /// Each page in turn is zeros: what was not sent stands in two tables, and is never lost.
    @Test func `K6 any one page may be lost without unsent fields`() async throws {
        let wreck = try await wrecked()
        let identity: Set = ["self", "space_key", "device_key"]
        for page in Rounds.sample(Array(0..<wreck.bytes.count / 4096), every: 4) {
            var bytes = wreck.bytes
            bytes.replaceSubrange(
                page * 4096..<(page + 1) * 4096,
                with: repeatElement(0, count: 4096)
            )
            let owner = wreck.owners[page + 1] ?? "none"
            let (salvage, replica) = try await salvage(bytes, of: wreck)
            #expect(salvage.isSameDevice == !identity.contains(owner), "page \(page + 1), \(owner)")
            #expect(
                try await unsent(in: replica) == Self.unsent,
                "page \(page + 1), \(owner)"
            )
            #expect(salvage.pages == wreck.bytes.count / 4096)
            // Further pages are lost with it: those that it leads to, or the list of free ones.
            if owner != "none" {
                #expect(salvage.unreadablePages >= 1, "page \(page + 1), \(owner)")
            }
            if owner != "tail" { #expect(salvage.samples == 200, "page \(page + 1), \(owner)") }
            if salvage.isSameDevice { _ = try await settle(wreck) }
        }
    }

    /// The copy stands at the end of the file, as a stale page of a lost free list would.
    @Test func `K6 of two copies of a chunk's slice, the one with the right hash is saved`()
        async throws
    {
        let wreck = try await wrecked()
        let chunk = [0x50] + (0..<10_000).map { UInt8(truncatingIfNeeded: $0 &* 167 ^ $0 >> 8) }
        let replica = wreck.device.replica
        try await replica.write {
            let place = RowAddress(space: 1, id: Identifier(number: 2))
            try $0.chunks.insert(chunk, ChunkReference(toFile: chunk), for: place)
        }
        try await replica.checkpoint()
        let sound = try wreck.device.folder.contents(of: wreck.device.file)
        let leaf: UInt8 = 0x0d
        let pages = try await replica.pageOwners().filter { $0.value == "chunk_slice" }.keys
        let page = try #require(pages.filter { sound[($0 - 1) * 4096] == leaf }.min())
        let start = (page - 1) * 4096
        var bytes = sound
        // In two of the three slices.
        bytes[start + 4000] ^= 1
        bytes[start + 2000] ^= 1
        let (alone, _) = try await salvage(bytes, of: wreck)
        #expect(alone.damaged >= 1)
        let copy = sound[start..<start + 4096]
        let (salvage, _) = try await salvage(bytes + copy, of: wreck)
        let whole = try await wreck.device.replica.read { try $0.maintenance.verify() }
        #expect(salvage.chunks == whole.chunks)
        #expect(salvage.damaged == 0)
    }

    @Test func `pages that went with the end of the file are told`() async throws {
        let wreck = try await wrecked()
        let pages = wreck.bytes.count / 4096
        // The last is there in part.
        let (salvage, _) = try await salvage(Array(wreck.bytes.dropLast(5000)), of: wreck)
        #expect(salvage.pages == pages && salvage.unreadablePages >= 2)
    }

    /// Flipped bits, lost pages and lost ends, many at once.
    @Test(arguments: Rounds.seeds(8))
    func `K6 no damage makes a salvage fail or a fingerprint differ`(seed: UInt64) async throws {
        let wreck = try await wrecked()
        var random = SplitMix64(seed: seed)
        let (bytes, pages) = Self.damage(wreck.bytes, &random)
        let salvage: Salvage
        let replica: Replica
        do {
            (salvage, replica) = try await self.salvage(bytes, of: wreck)
        } catch ReplicaError.missing {
            return
        }
        let hit = Set(pages.map { wreck.owners[$0] ?? "none" })
        let telling = hit.filter { !$0.hasPrefix("sqlite_autoindex") && !$0.hasPrefix("sealed_") }
        if telling.isDisjoint(with: ["self", "space", "space_key", "device_key", "row", "unsealed"])
        {
            #expect(try await unsent(in: replica) == Self.unsent, "seed \(seed): \(hit)")
        }
        if salvage.isSameDevice { _ = try await settle(wreck) }
    }

    /// The damaged bytes, and the pages that were hit.
    private static func damage(
        _ bytes: [UInt8],
        _ random: inout SplitMix64
    ) -> (bytes: [UInt8], pages: [Int]) {
        var bytes = bytes
        var pages: [Int] = []
        let count = bytes.count / 4096
        switch Int.random(in: 0..<4, using: &random) {
        case 0, 1:
            for _ in 0..<Int.random(in: 1...20, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                pages.append(place / 4096 + 1)
            }
        case 2:
            for _ in 0..<3 {
                let page = Int.random(in: 0..<count, using: &random)
                for index in 0..<4096 {
                    bytes[page * 4096 + index] = UInt8.random(in: 0...255, using: &random)
                }
                pages.append(page + 1)
            }
        default:
            let kept = Int.random(in: 1..<bytes.count, using: &random)
            bytes = Array(bytes.prefix(kept))
            pages = Array(kept / 4096 + 1...count)
        }
        return (bytes, pages)
    }

    @Test func `K6 what only the log of the file has is saved too`() async throws {
        let wreck = try await wrecked()
        try await wreck.device.set("tag/x", .text("in the log"), at: Time.start + 9)
        let folder = wreck.device.folder
        let log = try folder.contents(of: wreck.device.file + "-wal")
        let (_, replica) = try await salvage(wreck.bytes, log: log, of: wreck)
        #expect(try await unsent(in: replica)["tag/x"] == .text("in the log"))
    }

    /// One flipped bit makes the page number of a frame enormous.
    @Test func `a damaged page number in the log does not make a salvage endless`() async throws {
        let wreck = try await wrecked()
        try await wreck.device.set("tag/x", .text("in the log"), at: Time.start + 9)
        var log = try wreck.device.folder.contents(of: wreck.device.file + "-wal")
        log[32] ^= 0x80
        let (salvage, replica) = try await salvage(wreck.bytes, log: log, of: wreck)
        #expect(salvage.pages == wreck.bytes.count / 4096)
        #expect(try await unsent(in: replica).count >= Self.unsent.count)
    }

    @Test(arguments: [[], Array("no database".utf8), [UInt8](repeating: 0, count: 20_000)])
    func `K6 where there is nothing, nothing is made`(bytes: [UInt8]) async throws {
        let folder = try TemporaryFolder()
        try folder.write(bytes, to: "damaged")
        await #expect(throws: ReplicaError.missing) {
            var random = SplitMix64(seed: 0x5a17)
            _ = try await Replica.salvage(
                from: folder.path + "/damaged",
                to: folder.path + "/saved",
                at: UnixTime(milliseconds: Time.start),
                using: &random
            )
        }
        #expect(!folder.contains("saved"))
    }
}

extension Replica {
    /// Which table or index each page belongs to.
    fileprivate func pageOwners() throws -> [Int: String] {
        let pages = try database.all("SELECT pageno, name FROM dbstat") {
            (Int($0.integer(0)), $0.text(1))
        }
        return Dictionary(pages) { $1 }
    }
}
