import Harness
import SyncCore
import Testing

@testable import SyncServer

/// A server whose clock is wrong, devices that were away for long.
@Suite(.hangLimit) struct TimeCaseTests {
    private static let hour: Int64 = 3_600_000
    private static let day = 24 * hour

    @Test(arguments: [-day, day])
    func `C9 a server that was a day off and is put right locks nobody out`(
        error: Int64
    ) async throws {
        let couple = try await Couple()
        let (boat, phone, clock) = (couple.boat, couple.phone, couple.server.clock)
        clock.step(by: error)
        for device in couple.devices { device.offset.withLock { $0 = -error } }
        clock.advance(by: Self.hour)
        for (device, field) in [(boat, "name"), (phone, "notes")] {
            try await device.set(Text(field), .text("while it was off"), of: couple.track)
        }
        try await couple.settle()
        #expect(try await boat.value("notes", of: couple.track) == .text("while it was off"))
        clock.step(by: -error)
        for device in couple.devices { device.offset.withLock { $0 = 0 } }
        for (round, device) in [phone, boat, phone].enumerated() {
            clock.advance(by: 60_000)
            try await device.set("name", .text(Text("right \(round)")), of: couple.track)
            try await device.set("sport", .text(Text("new \(round)")), of: couple.track)
            try await couple.settle()
            for other in couple.devices {
                let names = try await other.value("name", of: couple.track)
                #expect(names == .text(Text("right \(round)")))
                let sports = try await other.value("sport", of: couple.track)
                #expect(sports == .text(Text("new \(round)")))
                #expect(try await other.replica.read { try $0.maintenance.status() }.refused == 0)
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `C7 of a batch only the set from the future is refused, and no bound moves with it`(
        kind: StoreKind
    ) async throws {
        var author = Author(device: 1)
        let bed = try await StoreBed(kind, with: author)
        let now = UInt64(bed.now.milliseconds) << 16
        var batch: [PushedSet] = []
        for time in [now, now + UInt64(3650 * Self.day) << 16, now + 5000] {
            author.time = time
            batch.append(try author.push())
        }
        let results = try await bed.append(batch, by: author)
        #expect(results.map(\.verdict) == [.accepted, .refused, .accepted])
        #expect(results[1].reason == "clock")
        author.time = now + UInt64(Self.hour) << 16
        #expect(try await bed.append([try author.push()], by: author)[0].reason == "clock")
        author.time = now + 10_000
        #expect(try await bed.append([try author.push()], by: author)[0].verdict == .accepted)
    }

    /// What happened on board and ashore while a phone was away.
    private struct Away {
        let couple: Couple
        let rows = (0..<500).map { Identifier(number: UInt128(1000 + $0)) }

        /// Field of each row: what the phone wrote first, what the boat wrote later.
        func phoneEdits() async throws {
            let phone = couple.phone
            let space = try await phone.space()
            for (index, row) in rows.enumerated() {
                let edits = [
                    Edit(Key("track", .id(row), "name"), .text(Text("phone \(index)"))),
                    Edit(Key("track", .id(row), "notes"), .text(Text("only the phone \(index)"))),
                ]
                try await phone.replica.write {
                    try $0.rows.write(edits, in: space, at: phone.moment)
                }
                couple.server.clock.advance(by: 1000)
            }
        }

        func boatEdits() async throws {
            let boat = couple.boat
            let space = try await boat.space()
            for (index, row) in rows.enumerated() where index % 5 < 2 {
                let key = index % 5 == 0 ? TrackField.name : FieldSchema.deleted.name
                let value: Value = index % 5 == 0 ? .text(Text("boat \(index)")) : .bool(true)
                try await boat.replica.write {
                    try $0.rows.write(
                        [Edit(Key("track", .id(row), key), value)],
                        in: space,
                        at: boat.moment
                    )
                }
            }
            try await boat.sync()
        }
    }

    @Test(arguments: Rounds.cases(always: [18], atNight: [6]) as [Int64])
    func `M7 a phone that was away for months overwrites and revives nothing, and loses nothing`(
        months: Int64
    ) async throws {
        let couple = try await Couple()
        let (boat, phone, clock) = (couple.boat, couple.phone, couple.server.clock)
        phone.offset.withLock { $0 = 2 * Self.hour }
        let old = ClockAnchor(bootMilliseconds: 0, boot: Identifier(number: 99))
        try await phone.replica.write { try $0.clockPeriods.learn(old) }
        let away = Away(couple: couple)
        try await away.phoneEdits()
        var tracks: [Identifier: Samples] = [:]
        for number in 0..<40 {
            let track = try await phone.record(number, samples: 30)
            tracks[track] = try await phone.samples(of: track)
        }
        clock.advance(by: 60_000)
        try await away.boatEdits()
        clock.advance(by: months * 30 * Self.day)
        let result = try await phone.sync()
        #expect(result.end == .complete && result.declined == 0 && result.problems.isEmpty)
        try await couple.settle()
        for (index, row) in away.rows.enumerated() {
            let name = index % 5 == 0 ? "boat \(index)" : "phone \(index)"
            let cells = try await boat.replica.read {
                try $0.rows.cells("track", .id(row), in: try $0.spaces.own())
            }
            #expect(cells["name"]?.value == .text(Text(name)))
            #expect(cells["notes"]?.value == .text(Text("only the phone \(index)")))
            #expect((cells["deleted"]?.value == .bool(true)) == (index % 5 == 1))
        }
        for (track, samples) in tracks { #expect(try await boat.samples(of: track) == samples) }
        let space = try await boat.space()
        #expect(try await boat.replica.read { try $0.tracks.all(in: space) }.count == 400 + 40)
        #expect(
            try await boat.replica.read { try $0.tracks.all(in: space, deleted: true) }.count == 100
        )
    }

    @Test func `M12 odd values reach another device bit for bit, and what is no number is refused`()
        async throws
    {
        let couple = try await Couple()
        let values: [Value] = [
            .text("Å\u{301}e\u{301}é 🧭 \u{0}\u{FEFF}\u{202E}"), .text(""), .bytes([]), .list([]),
            .map([:]), .float(-0.0), .float(0), .float(.leastNonzeroMagnitude),
            .float(.greatestFiniteMagnitude),
            .float(9_007_199_254_740_994), .float(0.1), .integer(.min), .integer(.max),
            .integer(9_007_199_254_740_993), .bool(false), .null,
            .list([.null, .integer(0), .float(0), .text("0"), .bytes([0])]),
            .map(["": .null, "é": .integer(1), "e\u{301}": .integer(2)]),
        ]
        for (index, value) in values.enumerated() {
            let field = Text("\(index)")
            // Unsetting what was never set is no write.
            if value == .null { try await couple.boat.set(field, .text("x"), of: couple.track) }
            try await couple.boat.set(field, value, of: couple.track)
        }
        try await couple.settle()
        let space = try await couple.boat.space()
        for device in couple.devices {
            let cells = try await device.replica.read {
                try $0.rows.cells("track", .id(couple.track), in: space)
            }
            for (index, value) in values.enumerated() {
                #expect(cells[Text("\(index)")]?.encoded == value.encoded, "\(value)")
            }
        }
        for number in [Double.nan, .infinity, -.infinity] {
            await #expect(throws: ReplicaError.notEncodable(field: "field")) {
                try await couple.boat.set("field", .float(number), of: couple.track)
            }
        }
    }

    @Test func `G3 a fresh device's defaults and what it joins with overwrite nothing`()
        async throws
    {
        let couple = try await Couple()
        let boat = couple.boat
        let space = try await boat.space()
        let now = boat.moment
        try await boat.replica.write {
            try $0.settings.set(.metric, to: .bool(false), in: space, at: now)
        }
        try await boat.replica.write {
            try $0.settings.set(.speedUnit, to: .text("mph"), in: space, at: now)
        }
        try await couple.settle()
        let before = try await boat.replica.read { try $0.rows.list(Setting.collection, in: space) }
        let fresh = try TestDevice("fresh", couple.server)
        try await fresh.join(try await boat.link())
        for device in [fresh, boat] { try await device.sync() }
        #expect(
            try await fresh.replica.read { try $0.settings.all(in: space) }.map(\.value)
                == boat.settingValues()
        )
        let after = try await boat.replica.read { try $0.rows.list(Setting.collection, in: space) }
        #expect(after.map(\.cells) == before.map(\.cells) && !after.isEmpty)
        #expect(after.map(\.row) == before.map(\.row))
    }
}

extension TestDevice {
    fileprivate func settingValues() async throws -> [Value] {
        try await replica.read { try $0.settings.all(in: try $0.spaces.own()) }.map(\.value)
    }
}
