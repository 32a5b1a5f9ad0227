@testable import SyncCore
import Testing

/// Writing, reading and sealing on one device.
@Suite struct ReplicaTests {
    private let row = Identifier(number: 1)

    @Test func `what is written is read, before and after a restart`() async throws {
        let device = try await TestDevice.joined(1)
        try await device.set("name", .text("Sunday"), at: Time.start)
        try await device.set("notes", .text("e\u{301}"), at: Time.start)
        let cells = try await device.cells()
        #expect(try await device.value("name") == .text("Sunday"))
        try device.restart()
        #expect(try await device.cells() == cells)
        #expect(try await device.value("notes")?.text?.unicodeScalars.count == 2)
    }

    @Test func `a value that is there already is not written again`() async throws {
        let device = try await TestDevice.joined(1)
        let edit = Edit(Key("track", .id(row), "name"), .text("a"))
        let now = device.moment(Time.start)
        #expect(
            try await device.replica.write {
                try $0.rows.write([edit], in: TestDevice.space, at: now)
            } == 1
        )
        let before = try await device.cells()
        #expect(
            try await device.replica.write {
                try $0.rows.write([edit], in: TestDevice.space, at: now)
            } == 0
        )
        #expect(try await device.cells() == before)
        let unset = Edit(Key("track", .id(row), "never"), .null)
        #expect(
            try await device.replica.write {
                try $0.rows.write([unset], in: TestDevice.space, at: now)
            } == 0
        )
    }

    @Test func `M12 zeros of both signs are two values, and unset is not empty`() async throws {
        let device = try await TestDevice.joined(1)
        for value: Value in [.float(0), .float(-0.0), .text(""), .bytes([]), .list([]), .null] {
            try await device.set("field", value, at: Time.start)
            #expect(try await device.value("field")?.encoded == value.encoded)
        }
        let history = try await device.replica.read {
            try $0.rows.cells("track", .id(row), in: TestDevice.space)
        }
        #expect(history["field"]?.isUnset == true)
    }

    @Test func `a name or a text beyond 16 KiB is refused, and so is a value beyond 128 KiB`()
        async throws
    {
        let device = try await TestDevice.joined(1)
        let long = Text(String(repeating: "n", count: 16_385))
        let edits = [
            Edit(Key(long, .id(row), "f"), .null), Edit(Key("c", .text(long), "f"), .bool(true)),
            Edit(Key("c", .id(row), long), .null), Edit(Key("c", .id(row), "f"), .text(long)),
            Edit(Key("c", .id(row), "f"), .bytes([UInt8](repeating: 0, count: 131_072))),
        ]
        for edit in edits {
            await #expect(throws: ReplicaError.self, "\(edit.key.row.description.prefix(9))") {
                try await device.replica.write { [now = device.moment(0)] in
                    try $0.rows.write([edit], in: TestDevice.space, at: now)
                }
            }
        }
    }

    @Test func `a value that no reader would take is refused`() async throws {
        let device = try await TestDevice.joined(1)
        let deep = (0..<14).reduce(Value.null) { value, _ in .list([value]) }
        await #expect(throws: ReplicaError.self) {
            try await device.set("deep", deep, at: Time.start)
        }
        try await device.set("deep", deep.list?.first ?? .null, at: Time.start)
        try await device.seal(at: Time.start)
        #expect(try await device.replica.read { try $0.maintenance.verify() }.faults == [])
    }

    @Test func `nothing is sealed before the device joined`() async throws {
        let device = try TestDevice(1)
        let own = try await device.replica.read { try $0.spaces.own() }
        let edit = Edit(Key("track", .id(row), "name"), .text("a"))
        try await device.replica.write { [now = device.moment(Time.start)] in
            try $0.rows.write([edit], in: own, at: now)
        }
        #expect(
            try await device.seal(at: Time.start)
                == 0
        )
        #expect(try await device.replica.read { try $0.maintenance.status() }.unsealed == 1)
        try await device.join()
        #expect(try await device.value("name") == .text("a"))
        #expect(
            try await device.seal(at: Time.start)
                == 1
        )
        #expect(try await device.replica.read { try $0.maintenance.status() }.queued == 1)
    }

    @Test func `what went before joins along: tracks, settings, and the device's key`() async throws
    {
        let device = try TestDevice(1)
        let own = try await device.replica.read { try $0.spaces.own() }
        let recorded = RecordingTests.samples(count: 10)
        var recording = try await device.replica.write { [now = device.moment(Time.start)] in
            try $0.recordings.start(
                name: "before",
                sport: nil,
                in: own,
                at: now
            )
        }
        recording = try await device.replica.write { [recording, now = device.moment(Time.start)] in
            try $0.recordings.append(recorded, to: recording, at: now)
        }
        try await device.replica.write { [now = device.moment(Time.start), recording] in
            try $0.recordings.stop(recording, at: now)
        }
        try await device.replica.write { [now = device.moment(Time.start)] in
            try $0.settings.set(
                .metric,
                to: .bool(false),
                in: own,
                at: now
            )
        }
        try await device.join()
        var log = LogDouble(keys: TestDevice.spaceKeys)
        try await device.settle(&log, at: Time.start)

        let other = try await TestDevice.joined(2)
        try await other.settle(&log, at: Time.start)
        try await other.fetchChunks(from: log)
        #expect(
            try await other.replica.read { try $0.tracks.all(in: TestDevice.space) }.map(\.name)
                == ["before"]
        )
        let samples = try await other.replica.read { [recording] in
            try $0.tracks.samples(of: recording.track, in: TestDevice.space)
        }
        #expect(samples == recorded)
        let settings = try await other.replica.read { try $0.settings.all(in: TestDevice.space) }
        #expect(settings.first?.value == .bool(false))
        let identity = try await device.replica.read { try $0.identity.current() }
        let published = try await other.replica.read {
            try $0.rows.cells(
                "device",
                .id(identity.device),
                in: TestDevice.space
            )
        }
        #expect(published["name"]?.value == .text("device 1"))
        let cards = try await other.replica.read {
            try $0.controls.chain(of: TestDevice.space).cards
        }
        #expect(cards[identity.device]?.card.keys == identity.keys.publicKeys)
    }

    @Test func `what is sealed under a name is never sealed again under it`() async throws {
        let device = try await TestDevice.joined(1)
        for index in 0..<5 {
            try await device.set("name", .integer(Int64(index)), at: Time.start)
            #expect(
                try await device.seal(at: Time.start)
                    == 1
            )
            #expect(
                try await device.seal(at: Time.start)
                    == 0
            )
            try device.restart()
        }
        let items = try await device.replica.pushItems(of: TestDevice.space, byteLimit: 1 << 20)
        let headers = try items.map {
            try Upload(parsing: PushItem(decoding: $0[...]).upload).header
        }
        #expect(headers.map(\.sequence) == [1, 2, 3, 4, 5])
        let few = try await device.replica.pushItems(of: TestDevice.space, byteLimit: 800)
        #expect((1...2).contains(few.count))
        #expect(try await device.replica.pushItems(of: TestDevice.space, byteLimit: 1).isEmpty)
    }

    @Test func `a space whose key is not here does not keep the others from sealing`() async throws
    {
        let device = try await TestDevice.joined(1)
        let locked = Identifier(number: 77)
        try await device.replica.addSpace(locked)
        let edit = Edit(Key("track", .id(row), "name"), .text("a"))
        try await device.replica.write { [now = device.moment(Time.start)] in
            try $0.rows.write([edit], in: locked, at: now)
        }
        try await device.set("name", .text("b"), at: Time.start)
        #expect(
            try await device.seal(at: Time.start)
                == 1
        )
        #expect(try await device.replica.read { try $0.maintenance.status() }.unsealed == 1)
    }

    @Test func `two processes on one file give no name twice`() async throws {
        let device = try await TestDevice.joined(1)
        let second = try Replica(path: device.folder.path + "/" + device.file)
        for index in 0..<6 {
            let edit = Edit(Key("track", .id(row), "name"), .integer(Int64(index)))
            let replica = index % 2 == 0 ? device.replica : second
            try await replica.write { [now = device.moment(Time.start)] in
                try $0.rows.write([edit], in: TestDevice.space, at: now)
            }
            try await replica.write { [moment = device.moment(Time.start)] in
                try $0.sealer.seal(at: moment)
            }
        }
        var log = LogDouble(keys: TestDevice.spaceKeys)
        try await device.settle(&log, at: Time.start)
        #expect(
            log.head(of: try await device.replica.read { try $0.identity.current() }.replica)?
                .sequence == 6
        )
        #expect(log.accepted.filter { $0.key.field == "name" }.map(\.cell.stamp.time).count == 7)
        #expect(try await device.replica.read { try $0.maintenance.verify() }.faults == [])
    }
}

extension Replica {
    /// A space of which no key is here.
    func addSpace(_ space: Identifier) throws {
        try database.addSpace(space, kind: .shared)
    }
}
