@testable import SyncCore
import Testing

/// A log that is given up and taken from its beginning, and what is brought back to it.
@Suite struct RebasingTests {
    private let rows = (1...3).map { Identifier(number: $0) }

    /// A device that merged three rows of another one; over one lies a queued edit, over one an
    /// edit that no set carries yet.
    private func bed() async throws -> (TestDevice, TestDevice, LogDouble) {
        let (one, two) = (try await TestDevice.joined(1), try await TestDevice.joined(2))
        var log = LogDouble(keys: TestDevice.spaceKeys)
        for row in rows { try await two.set("name", .text("two"), of: row, at: Time.start) }
        for device in [two, one] { try await device.settle(&log, at: Time.start + 1) }
        try await one.set("notes", .text("queued"), of: rows[1], at: Time.start + 2)
        try await one.seal(at: Time.start + 2)
        try await one.set("notes", .text("unsealed"), of: rows[2], at: Time.start + 3)
        return (one, two, log)
    }

    private func rebase(_ device: TestDevice, isLost: Bool = true) async throws {
        try await device.replica.write { [now = device.wall(Time.start)] in
            isLost
                ? try $0.rebase.startOver(TestDevice.space, at: now)
                : try $0.rebase.repair(TestDevice.space, at: now)
        }
    }

    /// Three sets of one device, which a server judged and then lost.
    private func lost() async throws -> (TestDevice, Identifier, [SetName]) {
        let one = try await TestDevice.joined(1)
        var log = LogDouble(keys: TestDevice.spaceKeys)
        for value in 1...3 as ClosedRange<Int64> {
            try await one.set("name", .integer(value), at: Time.start + value)
            try await one.settle(&log, at: Time.start + value)
        }
        let names = log.entries.map(\.name)
        let replica = try await one.replica.read { try $0.identity.current() }.replica
        try await rebase(one)
        log.rewind(to: 0)
        try await one.pull(log, at: Time.start + 5)
        return (one, replica, names)
    }

    private func items(
        _ device: TestDevice,
        beyond heads: [Identifier: ReplicaHead] = [:]
    ) async throws -> [RefillItem] {
        try await device.replica.read {
            try $0.backfill.offers(of: TestDevice.space, beyond: heads, byteLimit: 1 << 20)
        }
        .items.map { try RefillItem(decoding: $0[...]) }
    }

    private func sequences(_ items: [RefillItem]) throws -> [UInt64] {
        try items.map {
            try Upload(parsing: PushItem(decoding: $0.item[...]).upload).header.sequence
        }
    }

    @Test(arguments: [true, false])
    func `S13 a reader sees no difference when a log is given up`(isLost: Bool) async throws {
        let (one, _, _) = try await bed()
        let before = try await one.cells().mapValues(\.encoded)
        try await rebase(one, isLost: isLost)
        #expect(try await one.cells().mapValues(\.encoded) == before)
        #expect(try await one.summary.fingerprint == Fingerprint())
        #expect(try await one.summary.merged == .none)
    }

    @Test func `a lost log is gone on with under a new name, a doubted one under the old`()
        async throws
    {
        let (one, _, _) = try await bed()
        let name = try await one.replica.read { try $0.identity.current() }.replica
        try await rebase(one, isLost: false)
        #expect(try await one.replica.read { try $0.identity.current() }.replica == name)
        try await rebase(one)
        #expect(try await one.replica.read { try $0.identity.current() }.replica != name)
    }

    @Test func `S1 what is brought back follows its chain and has its receipt`() async throws {
        let (one, _, names) = try await lost()
        let items = try await items(one)
        #expect(try sequences(items) == names.map(\.sequence))
        #expect(items.allSatisfy { $0.receipt != nil && $0.verdict == .accepted })
    }

    @Test func `S4 only a head that is known leaves out what stands before it`() async throws {
        let (one, replica, names) = try await lost()
        let known = ReplicaHead(sequence: 2, hash: names[1].hash)
        #expect(try sequences(try await items(one, beyond: [replica: known])) == [3])
        let fork = ReplicaHead(sequence: 2, hash: .zero)
        #expect(try sequences(try await items(one, beyond: [replica: fork])) == [1, 2, 3])
    }

    @Test func `S1 what a server judged, and lost before it came back, is pushed again`()
        async throws
    {
        let one = try await TestDevice.joined(1)
        var log = LogDouble(keys: TestDevice.spaceKeys)
        try await one.set("name", .text("first"), at: Time.start)
        try await one.settle(&log, at: Time.start)
        let backup = log.entries.count
        try await one.set("name", .text("lost"), at: Time.start + 1)
        _ = try await one.sync(&log, at: Time.start + 1, TestDevice.Trouble(skipsPull: true))
        #expect(try await one.replica.read { try $0.maintenance.status() }.queued == 0)
        log.rewind(to: backup)
        try await one.pull(log, at: Time.start + 2)
        #expect(try await one.replica.read { try $0.maintenance.status() }.queued == 1)
        try await one.settle(&log, at: Time.start + 2)
        #expect(try await one.cells() == log.cells())
        #expect(log.accepted.contains { $0.cell.value == .text("lost") })
    }

    @Test func `C1 what was accepted, lost and refused for its clock is written again`()
        async throws
    {
        let one = try await TestDevice.joined(1)
        var log = LogDouble(keys: TestDevice.spaceKeys)
        try await one.set("name", .text("kept"), at: Time.start)
        _ = try await one.sync(&log, at: Time.start, TestDevice.Trouble(skipsPull: true))
        try await rebase(one)
        log.rewind(to: 0)
        log.judge = { _ in (.refused, "clock") }
        _ = try await one.sync(&log, at: Time.start + 1)
        try await one.pull(log, at: Time.start + 1)
        log.judge = { _ in (.accepted, "") }
        try await one.settle(&log, at: Time.start + 2)
        #expect(try await one.replica.read { try $0.maintenance.status() }.refused == 0)
        #expect(try await one.value("name") == .text("kept"))
        #expect(try await one.cells() == log.cells())
    }

    @Test func `C1 what is written again does not come over what was written since`() async throws {
        let one = try await TestDevice.joined(1)
        var log = LogDouble(keys: TestDevice.spaceKeys)
        try await one.set("name", .text("older"), at: Time.start)
        try await one.settle(&log, at: Time.start)
        try await rebase(one)
        log.rewind(to: 0)
        try await one.pull(log, at: Time.start + 1)
        try await one.set("name", .text("newer"), at: Time.start + 2)
        try await one.seal(at: Time.start + 2)
        let offers = try await one.replica.read {
            try $0.backfill.offers(of: TestDevice.space, byteLimit: 1 << 20)
        }.items
        _ = try await one.replica.write { [now = one.wall(Time.start + 3)] in
            try $0.backfill.recordOutcome(
                offered: offers.map { _ in .failed(problem: "fork", sequence: 0) },
                of: offers,
                final: ["fork"],
                at: now
            )
        }
        // The newer one is refused once, after the older one was to be written again.
        log.judge = { _ in (.refused, "clock") }
        _ = try await one.sync(&log, at: Time.start + 3)
        log.judge = { _ in (.accepted, "") }
        try await one.settle(&log, at: Time.start + 4)
        #expect(try await one.value("name") == .text("newer"))
        #expect(log.accepted.contains { $0.cell.value == .text("newer") })
    }

    @Test func `what was offered in vain does not hide the rest`() async throws {
        let (one, _, _) = try await lost()
        var place = BackfillPosition.start
        for sequence in 1...3 as ClosedRange<UInt64> {
            let offers = try await one.replica.read { [place] in
                try $0.backfill.offers(
                    of: TestDevice.space,
                    after: place,
                    byteLimit: 1
                )
            }
            let items = try offers.items.map { try RefillItem(decoding: $0[...]) }
            #expect(try sequences(items) == [sequence])
            // What is written again is no orphan any more, and moves no other's place.
            if sequence == 1 {
                _ = try await one.replica.write { [now = one.wall(Time.start)] in
                    try $0.backfill.recordOutcome(
                        offered: [.failed(problem: "fork", sequence: 0)],
                        of: offers.items,
                        final: ["fork"],
                        at: now
                    )
                }
            }
            place = try #require(offers.reach)
        }
        let none = try await one.replica.read { [place] in
            try $0.backfill.offers(of: TestDevice.space, after: place, byteLimit: 1)
        }
        #expect(none.items.isEmpty && none.reach == nil)
    }

    @Test func `a setting that moves to another name keeps its time, though the clock is off`()
        async throws
    {
        let one = try await TestDevice.joined(1)
        var log = LogDouble(keys: TestDevice.spaceKeys)
        one.wallError = Time.hour
        let old = Row.device(try await one.replica.read { try $0.identity.current() }.device)
        let edit = Edit(Key(Setting.collection, old, "units/speed"), .text("kn"))
        try await one.replica.write { [now = one.moment(Time.start)] in
            try $0.rows.write([edit], in: TestDevice.space, at: now)
        }
        try await one.replica.write { [anchor = one.anchor(at: Time.start)] in
            try $0.clockPeriods.learn(anchor)
        }
        try await one.settle(&log, at: Time.start)
        let present = try await one.replica.read {
            try $0.rows.cells(Setting.collection, old, in: TestDevice.space)
        }
        let space = TestSpace.shared
        let entrance = TestSpace.entrance(of: 2, as: Identifier(number: 77))
        let next = entrance.keys.publicKeys.device
        let enrolment = Enrolment(
            authority: "wake.example:443",
            trust: .authorities,
            deviceKeys: DeviceKeys(device: next, secrets: one.keys.secrets),
            controls: space.entries
        )
        try await one.replica.write { [now = one.moment(Time.start + Time.second)] in
            try $0.enrolment.enter(
                space.keys.space,
                by: entrance,
                enrolment,
                secret: space.secret,
                at: now
            )
        }
        func moved() async throws -> Stamp? {
            try await one.replica.read {
                try $0.rows.cells(Setting.collection, .device(next), in: TestDevice.space)
            }["units/speed"]?.stamp
        }
        let time = try #require(present["units/speed"]).stamp.time
        // The replica is the one that will seal it.
        #expect(try await moved() == Stamp(time: time, replica: Identifier(number: 77)))
        try await one.replica.write { [anchor = one.anchor(at: Time.start + Time.second)] in
            try $0.clockPeriods.learn(anchor)
        }
        try await one.seal(at: Time.start + Time.second)
        #expect(try await moved() == Stamp(time: time, replica: Identifier(number: 77)))
    }

    @Test func `settings that only others may write are told in one short line`() async throws {
        let (one, two) = (try await TestDevice.joined(1), try await TestDevice.joined(2))
        var log = LogDouble(keys: TestDevice.spaceKeys)
        for number in 1...9 {
            // Of a device that the log has lost; others' rows would not count in the first place.
            let row = Row.device(Identifier(number: 77))
            let edit = Edit(Key(Setting.collection, row, Text("s\(number)")), .text("x"))
            try await two.replica.write { [now = two.moment(Time.start)] in
                try $0.rows.write([edit], in: TestDevice.space, at: now)
            }
            try await two.settle(&log, at: Time.start + Int64(number))
        }
        try await one.settle(&log, at: Time.start + 20)
        try await rebase(one)
        log.rewind(to: 0)
        try await one.pull(log, at: Time.start + 30)
        let offers = try await one.replica.read {
            try $0.backfill.offers(of: TestDevice.space, byteLimit: 1 << 20)
        }.items
        _ = try await one.replica.write { [now = one.wall(Time.start + 30)] in
            try $0.backfill.recordOutcome(
                offered: offers.map { _ in .failed(problem: "bad-mac", sequence: 0) },
                of: offers,
                final: ["bad-mac"],
                at: now
            )
        }
        let events = try await one.replica.read { try $0.events.latest() }.filter {
            $0.kind == .leftOut
        }
        #expect(events.count == 1)
        #expect(events.first?.detail.hasSuffix(" and 4 more") == true, "\(events)")
    }

    @Test func `what is declined by a new log as by the lost one is settled once`() async throws {
        let one = try await TestDevice.joined(1)
        var log = LogDouble(keys: TestDevice.spaceKeys)
        log.judge = { _ in (.refused, "role") }
        try await one.set("name", .text("refused"), at: Time.start)
        try await one.settle(&log, at: Time.start)
        try await rebase(one)
        #expect(try await items(one).map(\.reason) == ["role"])
        let merged = try await one.replica.write {
            [moment = one.moment(Time.start + 5), page = log.page(after: 0)] in
            try $0.merger.merge(
                page,
                into: TestDevice.space,
                at: moment
            )
        }
        #expect(merged.entries == 1 && merged.declined == 0)
        #expect(try await one.replica.read { try $0.maintenance.status() }.refused == 1)
    }

    @Test func `who vouches for another's set writes only what the log lacks`() async throws {
        let (one, two) = (try await TestDevice.joined(1), try await TestDevice.joined(2))
        var log = LogDouble(keys: TestDevice.spaceKeys)
        try await one.set("name", .text("old"), at: Time.start)
        try await one.set("notes", .text("only here"), at: Time.start)
        for device in [one, two] { try await device.settle(&log, at: Time.start) }
        try await rebase(two)
        // The log has lost that set; what another device wrote there since is newer.
        let three = try await TestDevice.joined(3)
        var other = LogDouble(keys: TestDevice.spaceKeys)
        try await three.set("name", .text("new"), at: Time.start + 1)
        try await three.settle(&other, at: Time.start + 1)
        try await two.pull(other, at: Time.start + 2)
        let offers = try await items(two)
        _ = try await two.replica.write { [now = two.wall(Time.start + 2)] in
            try $0.backfill.recordOutcome(
                offered: offers.map { _ in .failed(problem: "unauthorized", sequence: 0) },
                of: offers.map(\.encoded),
                final: ["unauthorized"],
                at: now
            )
        }
        #expect(try await two.value("name") == .text("new"))
        #expect(try await two.value("notes") == .text("only here"))
        try await two.settle(&other, at: Time.start + 3)
        let names = other.accepted.filter { $0.key.field == "name" && $0.key.collection == "track" }
        #expect(names.map(\.cell.value) == [.text("new")])
    }

    /// Two devices of one log, in which "good" was accepted and `judge` decided on "later".
    private func couple(
        _ judge: @escaping (Upload) -> (verdict: Verdict, reason: String)
    ) async throws -> (devices: [TestDevice], log: LogDouble, item: [UInt8]) {
        let devices = [try await TestDevice.joined(1), try await TestDevice.joined(2)]
        var log = LogDouble(keys: TestDevice.spaceKeys)
        try await devices[0].set("name", .text("good"), at: Time.start)
        for device in devices { try await device.settle(&log, at: Time.start) }
        log.judge = judge
        try await devices[0].set("name", .text("later"), at: Time.start + 1)
        try await devices[0].seal(at: Time.start + 1)
        let item = try await devices[0].replica.pushItems(of: TestDevice.space, byteLimit: 1 << 20)
        for device in devices { try await device.settle(&log, at: Time.start + 2) }
        return (devices, log, item[0])
    }

    @Test func `what an earlier log accepted and this one does not is shown by nobody`()
        async throws
    {
        var (devices, log, item) = try await couple { _ in (.accepted, "") }
        for device in devices { #expect(try await device.value("name") == .text("later")) }
        log.rewind(to: log.entries.count - 1)
        log.judge = { _ in (.held, "quota") }
        for device in devices { try await rebase(device) }
        _ = try log.push([item])
        for device in devices {
            try await device.pull(log, at: Time.start + 5)
            #expect(try await device.value("name") == .text("good"))
            #expect(try await device.summary.fingerprint == log.fingerprint())
        }
        #expect(try await devices[0].replica.read { try $0.maintenance.status() }.held == 1)
        #expect(try await devices[1].replica.read { try $0.rejected.all() }.isEmpty)
    }
}
