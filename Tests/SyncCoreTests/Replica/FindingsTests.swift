@testable import SyncCore
import Testing

/// What a check finds in lists and chunks, and what can be mended.
@Suite struct FindingsTests {
    /// The summary of other samples, as a change of a chunk's line.
    private static let otherSummary =
        "summary = x'\(ChunkSummary(of: RecordingTests.samples(count: 7)).value.encoded.hexadecimal)'"

    private func device(
        isSent: Bool = true
    ) async throws -> (device: TestDevice, log: LogDouble, track: Identifier) {
        let device = try await TestDevice.joined(1)
        var log = LogDouble(keys: TestDevice.spaceKeys)
        var recording = try await device.replica.write { [now = device.moment(Time.start)] in
            try $0.recordings.start(
                name: "sail",
                sport: nil,
                in: TestDevice.space,
                at: now
            )
        }
        let samples = RecordingTests.samples(count: 100)
        recording = try await device.replica.write { [recording, now = device.moment(Time.start)] in
            try $0.recordings.append(samples, to: recording, at: now)
        }
        try await device.replica.write { [recording, now = device.moment(Time.start)] in
            try $0.recordings.stop(recording, at: now)
        }
        if isSent { try await device.settle(&log, at: Time.start) }
        return (device, log, recording.track)
    }

    private func repair(_ device: TestDevice) async throws -> RepairOutcome {
        try await device.replica.write { [now = device.wall(Time.start + 1)] in
            try $0.repairs.repair(at: now)
        }
    }

    @Test(
        arguments: [
            "UPDATE track SET name = 'other'", "UPDATE track SET points = 1",
            "UPDATE track SET distance = distance + 1", "DELETE FROM track",
            "UPDATE track SET missing = 1", "UPDATE track SET deleted = 1",
            "UPDATE track SET standing = 8",
            "INSERT INTO track (space, id, name, samples, points, distance, missing, deleted, "
                + "standing, unmeasured)"
                + " VALUES (1, x'00000000000000000000000000000009', 'ghost', 0, 0, 0, 0, 0, 0, 0)",
            "UPDATE track SET unmeasured = 1",
            "UPDATE track SET notes = 'other'", "UPDATE track SET west = west - 1",
            "UPDATE track SET start_offset = 60",
            "UPDATE track SET start_zone = 'Asia/Tokyo'",
        ]
    )
    func `a line of the list that is wrong is found and made anew`(damage: String) async throws {
        let (device, _, track) = try await device()
        let before = try await device.replica.read {
            try $0.tracks.find(track, in: TestDevice.space)
        }
        try await device.replica.damage(damage)
        let found = try await device.replica.read { try $0.maintenance.verify() }
        #expect(found.trackFaults.count == 1, "\(found.faults)")
        #expect(found.setFaults.isEmpty)
        #expect(try await repair(device) == RepairOutcome(tracks: 1))
        #expect(try await device.replica.read { try $0.maintenance.verify() }.faults == [])
        #expect(
            try await device.replica.read { try $0.tracks.find(track, in: TestDevice.space) }
                == before
        )
        #expect(try await repair(device) == RepairOutcome())
        #expect(try await device.replica.read { try $0.events.latest() }.map(\.kind) == [.repaired])
    }

    @Test func `a damaged row in the trash is restored, and listed`() async throws {
        let device = try await TestDevice.joined(1)
        try await device.set("deleted", .bool(true), at: Time.start)
        try await device.replica.damage("UPDATE row SET overlay = x'ff' WHERE deleted = 1")
        let trash = try await device.replica.read { try $0.rows.trash(in: TestDevice.space) }
        #expect(trash.count == 1)
        #expect(try await device.replica.read { try $0.events.latest() }.map(\.kind) == [.repaired])
    }

    @Test func `a row that is listed wrongly in the trash is found, and listed anew`() async throws
    {
        let (device, _, _) = try await device()
        try await device.replica.damage("UPDATE row SET deleted = 1 WHERE collection = 'track'")
        #expect(try await device.replica.read { try $0.maintenance.verify() }.setFaults.count == 1)
        #expect(try await repair(device) == RepairOutcome(trash: 1))
        #expect(try await device.replica.read { try $0.rows.trash(in: TestDevice.space) }.isEmpty)
        #expect(try await device.replica.read { try $0.maintenance.verify() }.faults == [])
    }

    @Test func `a row that does not lead to its sets is found, and leads to them again`()
        async throws
    {
        let (device, _, track) = try await device()
        func history() async throws -> Int {
            try await device.replica.read {
                try $0.history.entries(of: "track", .id(track), in: TestDevice.space)
            }.count
        }
        let count = try await history()
        try await device.replica.damage("UPDATE row SET sets = x''")
        #expect(try await history() == 0)
        #expect(try await device.replica.read { try $0.maintenance.verify() }.setFaults.count == 1)
        #expect(try await repair(device) == RepairOutcome(sets: 1))
        #expect(try await history() == count)
        #expect(try await device.replica.read { try $0.maintenance.verify() }.faults == [])
    }

    @Test func `K6 damaged change sets that the server has are fetched again`() async throws {
        let (device, log, track) = try await device()
        var server = log
        let before = try await device.replica.read {
            try $0.tracks.find(track, in: TestDevice.space)
        }
        try await device.replica.damage(
            "UPDATE sealed SET body = x'00' WHERE position IS NOT NULL AND control IS NULL"
        )
        let found = try await device.replica.read { try $0.maintenance.verify() }
        #expect(!found.setFaults.isEmpty)
        #expect(try await repair(device).restored > 0)
        try await device.settle(&server, at: Time.start + 2)
        #expect(try await device.replica.read { try $0.maintenance.verify() }.faults == [])
        let after = try await device.replica.read {
            try $0.tracks.find(track, in: TestDevice.space)
        }
        #expect(after == before)
    }

    @Test func `K6 damaged bytes that the server has are fetched again`() async throws {
        let (device, log, track) = try await device()
        let before = try await device.replica.read {
            try $0.tracks.samples(of: track, in: TestDevice.space)
        }
        try await device.replica.damage("UPDATE chunk SET bytes = x'00010203'")
        #expect(
            try await device.replica.read { try $0.maintenance.verify() }.chunkFaults.count == 1
        )
        #expect(try await repair(device).refetched == 1)
        let found = try await device.replica.read { try $0.maintenance.verify() }
        #expect(found.faults == [])
        #expect(found.missingChunks == 1)
        try await device.fetchChunks(from: log)
        #expect(try await device.replica.read { try $0.maintenance.verify() }.missingChunks == 0)
        #expect(
            try await device.replica.read { try $0.tracks.samples(of: track, in: TestDevice.space) }
                == before
        )
    }

    @Test func `damaged bytes that nobody else has are set aside`() async throws {
        let (device, _, _) = try await device(isSent: false)
        try await device.replica.damage("UPDATE chunk SET bytes = x'00010203'")
        let repaired = try await repair(device)
        #expect(repaired.lost == 1)
        #expect(repaired.refetched == 0)
        #expect(try await device.replica.read { try $0.chunks.wantedCount() } == 1)
        let kept = try await device.replica.read {
            try $0.database.all("SELECT bytes FROM damaged_chunk") { $0.blob(0) }
        }
        #expect(kept == [[0, 1, 2, 3]])
        #expect(try await repair(device) == RepairOutcome())
    }

    @Test func `a lost chunk of a newer kind is found`() async throws {
        let (device, _, track) = try await device()
        let hash = Digest(of: [0x60, 1]).bytes
        let edit = Edit(
            Key(TrackField.points, .id(track), "00000000000000ff/0"),
            .list([.bytes(hash), .integer(2), .integer(6)])
        )
        try await device.replica.write { [now = device.moment(Time.start + 1)] in
            try $0.rows.write([edit], in: TestDevice.space, at: now)
        }
        let found = try await device.replica.read { try $0.maintenance.verify() }
        #expect(found.chunkFaults.count == 1)
        #expect(try await repair(device).refetched == 1)
        #expect(try await device.replica.read { try $0.maintenance.verify() }.missingChunks == 1)
    }

    @Test func `neither a damaged chunk nor its set is sent`() async throws {
        let (device, _, _) = try await device(isSent: false)
        _ = try await device.replica.write { [moment = device.moment(Time.start + 1)] in
            try $0.sealer.seal(at: moment)
        }
        #expect(try await chunksToPush(from: device).reduce(0, +) == 1)
        try await device.replica.damage("UPDATE chunk SET bytes = x'00010203'")
        #expect(try await chunksToPush(from: device).isEmpty)
        try await device.seal(at: Time.start + 2)
        #expect(try await chunksToPush(from: device) == [0])
    }

    /// How many chunks each set has that is to be pushed; see ``PushQueue/items(of:after:into:)``.
    private func chunksToPush(
        from device: TestDevice,
        after: UInt64? = nil
    ) async throws -> [Int] {
        try await device.replica.pushItems(of: TestDevice.space, after: after, byteLimit: .max)
            .map { try PushItem(decoding: $0[...]).chunks.count }
    }

    @Test func `a set that the server has lost is sent again without its damaged chunk`()
        async throws
    {
        let (device, _, _) = try await device()
        let whole = try await chunksToPush(from: device, after: 0)
        #expect(whole.reduce(0, +) == 1)
        try await device.replica.damage("UPDATE chunk SET bytes = x'00010203'")
        #expect(try await chunksToPush(from: device, after: 0) == whole.map { _ in 0 })
    }

    @Test func `a chunk that a cell names and nobody wants is wanted again`() async throws {
        let (device, log, track) = try await device()
        try await device.replica.damage("DELETE FROM chunk; DELETE FROM chunk_use")
        let found = try await device.replica.read { try $0.maintenance.verify() }
        #expect(found.chunkFaults.count == 1)
        #expect(try await repair(device).refetched == 1)
        try await device.fetchChunks(from: log)
        #expect(try await device.replica.read { try $0.maintenance.verify() }.faults == [])
        #expect(
            try await device.replica.read { try $0.tracks.samples(of: track, in: TestDevice.space) }
                .count == 100
        )
    }

    /// The number of the chunk, or a column of what is recorded of its use.
    @Test(arguments: [
        "chunk = chunk + 64", "first = first || 'x'", "space = 5", "track = zeroblob(16)",
    ])
    func `a use of a chunk that is recorded wrongly is recorded again`(change: String) async throws
    {
        let (device, _, track) = try await device()
        try await device.replica.damage("UPDATE chunk_use SET \(change)")
        let found = try await device.replica.read { try $0.maintenance.verify() }
        #expect(found.chunkFaults.count == 1)
        _ = try await repair(device)
        #expect(try await device.replica.read { try $0.maintenance.verify() }.faults == [])
        let samples = try await device.replica.read {
            try $0.tracks.samples(of: track, in: TestDevice.space)
        }
        #expect(samples.count == 100)
    }

    @Test(arguments: ["summary = x'00'", "summary = NULL", otherSummary, "ends = NULL"])
    func `what is kept of a chunk's points is read again`(change: String) async throws {
        let (device, _, _) = try await device()
        try await device.replica.damage("UPDATE chunk SET \(change)")
        #expect(
            try await device.replica.read { try $0.maintenance.verify() }.chunkFaults.count == 1
        )
        #expect(try await repair(device).reread == 1)
        #expect(try await device.replica.read { try $0.maintenance.verify() }.faults == [])
    }

    @Test func `the guard tells how it stands to the file`() async throws {
        let (device, _, _) = try await device()
        #expect(try await device.replica.read { try $0.maintenance.guardState() } == .together)
        try await device.replica.damage("UPDATE self SET seals = seals + 5")
        #expect(try await device.replica.read { try $0.maintenance.guardState() } == .ahead)
        try await device.replica.damage("UPDATE self SET seals = seals - 8")
        #expect(try await device.replica.read { try $0.maintenance.guardState() } == .behind)
        device.folder.remove(device.file + ".seals")
        try await device.replica.damage("UPDATE self SET seals = 1")
        #expect(try await device.replica.read { try $0.maintenance.guardState() } == .missing)
    }

    @Test func `own sets count as backed up once a verified backup holds them`() async throws {
        let (device, log, _) = try await device()
        // The log has the device's own sets and no others.
        let own = try await device.replica.read { try $0.maintenance.backups() }.map(\.missing)
        #expect(own == [log.entries.count] && own != [0])
        try await device.replica.damage("UPDATE space SET backed_up = position, backup_time = 5")
        let backup = try #require(
            try await device.replica.read { try $0.maintenance.backups() }.first
        )
        #expect(backup.missing == 0)
        #expect(backup.time == UnixTime(milliseconds: 5))
    }
}
