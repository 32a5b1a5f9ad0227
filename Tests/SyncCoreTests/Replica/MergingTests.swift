@testable import SyncCore
import Testing

/// Pushing, pulling and what a page of the log does to base and overlay.
@Suite struct MergingTests {
    private let row = Identifier(number: 1)

    private func pair() async throws -> (TestDevice, TestDevice, LogDouble) {
        let (one, two) = (try await TestDevice.joined(1), try await TestDevice.joined(2))
        var log = LogDouble(keys: TestDevice.spaceKeys)
        try await one.settle(&log, at: Time.start)
        try await two.settle(&log, at: Time.start)
        try await one.settle(&log, at: Time.start)
        return (one, two, log)
    }

    private func settle(_ devices: [TestDevice], _ log: inout LogDouble, at now: Int64) async throws
    {
        for device in devices + devices { try await device.settle(&log, at: now) }
        for device in devices {
            #expect(try await device.summary.fingerprint == log.fingerprint())
            #expect(try await device.cells() == log.cells())
            #expect(try await device.replica.read { try $0.maintenance.verify() }.faults == [])
        }
    }

    @Test func `what came back in the log leaves the overlay for the base`() async throws {
        let device = try await TestDevice.joined(1)
        var log = LogDouble(keys: TestDevice.spaceKeys)
        try await device.set("name", .text("a"), at: Time.start)
        #expect(try await device.replica.hasOverlay())
        #expect(try await device.summary.fingerprint == Fingerprint())
        try await device.settle(&log, at: Time.start)
        #expect(try await !device.replica.hasOverlay())
        #expect(try await device.summary.fingerprint == log.fingerprint())
        #expect(try await device.value("name") == .text("a"))
        #expect(try await device.replica.read { try $0.maintenance.status() }.isSent)
    }

    @Test func `what was judged is not pushed again`() async throws {
        let device = try await TestDevice.joined(1)
        var log = LogDouble(keys: TestDevice.spaceKeys)
        try await device.set("name", .text("a"), at: Time.start)
        #expect(try await device.sync(&log, at: Time.start) == 1)
        #expect(try await device.sync(&log, at: Time.start) == 0)
        try await device.set("name", .text("b"), at: Time.start)
        #expect(try await device.sync(&log, at: Time.start) == 1)
    }

    @Test func `I0 N1 a lost answer is told again, and a server behind gets what it lacks`()
        async throws
    {
        let device = try await TestDevice.joined(1)
        var log = LogDouble(keys: TestDevice.spaceKeys)
        try await device.set("name", .text("a"), at: Time.start)
        try await device.sync(&log, at: Time.start, .init(losesAnswer: true))
        #expect(log.entries.count == 1)
        #expect(try await device.replica.read { try $0.maintenance.status() }.queued == 1)
        try await device.settle(&log, at: Time.start)
        #expect(log.entries.count == 1)
        let name = try await device.replica.read { try $0.identity.current() }.replica
        try await device.set("name", .text("b"), at: Time.start)
        try await device.sync(&log, at: Time.start, .init(losesAnswer: true))
        log.rewind(to: 1)
        try await device.settle(&log, at: Time.start)
        #expect(log.entries.count == 2)
        #expect(try await device.replica.read { try $0.identity.current() }.replica == name)
        #expect(try await device.summary.fingerprint == log.fingerprint())
    }

    @Test func `M1 of two writes to one field one wins everywhere, and both are in the history`()
        async throws
    {
        var (one, two, log) = try await pair()
        try await one.set("name", .text("one"), at: Time.start + 5)
        try await two.set("name", .text("two"), at: Time.start + 9)
        try await settle([one, two], &log, at: Time.start + Time.second)
        for device in [one, two] {
            #expect(try await device.value("name") == .text("two"))
            let history = try await device.replica.read {
                try $0.history.entries(
                    of: "track",
                    .id(row),
                    in: TestDevice.space
                )
            }
            #expect(history.map(\.change.cell.value) == [.text("one"), .text("two")])
            #expect(history.map(\.isWinner) == [false, true])
        }
    }

    @Test func `M2 writes to two fields both hold`() async throws {
        var (one, two, log) = try await pair()
        try await one.set("name", .text("one"), at: Time.start)
        try await two.set("notes", .text("two"), at: Time.start)
        try await settle([one, two], &log, at: Time.start + Time.second)
        for device in [one, two] {
            #expect(try await device.value("name") == .text("one"))
            #expect(try await device.value("notes") == .text("two"))
        }
    }

    @Test func `M3 an edit of a deleted track is kept beneath, and restoring shows it`()
        async throws
    {
        var (one, two, log) = try await pair()
        try await one.set("name", .text("old"), at: Time.start)
        try await settle([one, two], &log, at: Time.start + 1)
        try await one.set("deleted", .bool(true), at: Time.start + 2)
        try await two.set("name", .text("new"), at: Time.start + 3)
        try await settle([one, two], &log, at: Time.start + Time.second)
        for device in [one, two] {
            #expect(
                try await device.replica.read { try $0.tracks.all(in: TestDevice.space) }.isEmpty
            )
            let trash = try await device.replica.read {
                try $0.tracks.all(in: TestDevice.space, deleted: true)
            }
            #expect(trash.map(\.name) == ["new"])
        }
        try await two.set("deleted", .null, at: Time.start + 2 * Time.second)
        try await settle([one, two], &log, at: Time.start + 3 * Time.second)
        #expect(
            try await one.replica.read { try $0.tracks.all(in: TestDevice.space) }.map(\.name) == [
                "new"
            ]
        )
    }

    @Test func `M14 a write before a pull and one after it are sealed apart`() async throws {
        var (one, two, log) = try await pair()
        try await two.set("notes", .text("theirs"), at: Time.start)
        try await two.settle(&log, at: Time.start)
        try await one.set("name", .text("before"), at: Time.start)
        try await one.pull(log, at: Time.start)
        try await one.set("colour", .text("after"), at: Time.start)
        try await one.seal(at: Time.start)
        let items = try await one.replica.pushItems(of: TestDevice.space, byteLimit: 1 << 20)
        let seen = try items.map {
            try Upload(parsing: PushItem(decoding: $0[...]).upload).header.seen.position.position
        }
        #expect(seen == [2, 3])
    }

    @Test func `a refused set leaves the overlay, and the value falls back`() async throws {
        var (one, two, log) = try await pair()
        try await one.set("name", .text("good"), at: Time.start)
        try await settle([one, two], &log, at: Time.start)
        log.judge = { _ in (.refused, "role") }
        try await one.set("name", .text("bad"), at: Time.start + 1)
        try await one.settle(&log, at: Time.start + 2)
        log.judge = { _ in (.accepted, "") }
        try await settle([one, two], &log, at: Time.start + Time.second)
        #expect(try await one.value("name") == .text("good"))
        #expect(try await one.replica.read { try $0.maintenance.status() }.refused == 1)
        let concerns = try await one.replica.read { try $0.rejected.all() }
        #expect(concerns.map(\.state) == [.refused(reason: "role")])
        #expect(concerns.first?.changes?.map(\.cell.value) == [.text("bad")])
        #expect(try await two.replica.read { try $0.rejected.all() }.isEmpty)
    }

    @Test func `a held set waits outside`() async throws {
        var (one, two, log) = try await pair()
        try await one.set("name", .text("good"), at: Time.start)
        try await settle([one, two], &log, at: Time.start)
        log.judge = { _ in (.held, "quota") }
        try await one.set("name", .text("held"), at: Time.start + 1)
        try await one.settle(&log, at: Time.start + 2)
        log.judge = { _ in (.accepted, "") }
        try await settle([one, two], &log, at: Time.start + Time.second)
        for device in [one, two] { #expect(try await device.value("name") == .text("good")) }
        #expect(try await one.replica.read { try $0.maintenance.status() }.held == 1)
    }

    @Test func `a merge counts a row once, as sent by its author and as received by others`()
        async throws
    {
        var (one, two, log) = try await pair()
        func merge(into device: TestDevice) async throws -> SyncedRows {
            let page = log.page(after: try await device.summary.merged.position, limit: 100)
            return try await device.replica.write { [moment = device.moment(Time.start)] in
                try $0.merger.merge(page, into: TestDevice.space, at: moment).rows
            }
        }
        try await one.set("name", .text("new"), at: Time.start)
        try await one.seal(at: Time.start)
        let items = try await one.replica.pushItems(of: TestDevice.space, byteLimit: 1 << 20)
        _ = try log.push(items)
        let (sent, received) = (try await merge(into: one), try await merge(into: two))
        #expect(sent.sent.count == 1 && sent.received.isEmpty)
        #expect(received.sent.isEmpty && received.received == sent.sent)
        for device in [one, two] {
            try await device.replica.write {
                try $0.rebase.startOver(TestDevice.space, at: UnixTime(milliseconds: Time.start))
            }
            #expect(try await merge(into: device).isEmpty, "it was accepted before")
        }
    }

    @Test func `M13 a page that does not continue changes nothing`() async throws {
        var (one, two, log) = try await pair()
        for index in 0..<4 {
            try await one.set("name", .integer(Int64(index)), at: Time.start + Int64(index))
            try await one.sync(&log, at: Time.start + Int64(index))
        }
        let start = try await two.summary.merged.position
        let page = log.page(after: start, limit: 2)
        let moment = two.moment(Time.start)
        _ = try await two.replica.write {
            try $0.merger.merge(page, into: TestDevice.space, at: moment)
        }
        let before = (try await two.summary, try await two.cells())
        var broken = log.page(after: start + 2)
        broken.chain = Digest(of: [])
        var other = log.page(after: start + 2)
        other.epoch = Identifier(number: 9)
        for page in [page, broken, other, log.page(after: start + 3), log.page(after: start)] {
            let error = await #expect(throws: ReplicaError.self) {
                try await two.replica.write {
                    try $0.merger.merge(page, into: TestDevice.space, at: moment)
                }
            }
            guard case .historyChanged? = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
        }
        #expect(try await two.summary == before.0)
        #expect(try await two.cells() == before.1)
        try await settle([one, two], &log, at: Time.start + Time.second)
    }

    @Test func `I8 a page that another process overtook does nothing`() async throws {
        var (one, two, log) = try await pair()
        try await one.set("name", .text("one"), at: Time.start)
        try await one.settle(&log, at: Time.start)
        let cursor = try await two.summary.merged
        let page = log.page(after: cursor.position)
        try await two.pull(log, at: Time.start)
        let merged = try await two.replica.write { [moment = two.moment(Time.start)] in
            try $0.merger.merge(
                page,
                after: cursor,
                into: TestDevice.space,
                at: moment
            )
        }
        #expect(merged == MergeOutcome(isOvertaken: true))
        #expect(try await two.summary.fingerprint == log.fingerprint())
    }

    @Test func `an overlay that is made anew shows the last edit`() async throws {
        let (one, _, _) = try await pair()
        for (index, name) in ["first", "second"].enumerated() {
            try await one.set("name", .text(Text(name)), at: Time.start + Int64(index))
            try await one.seal(at: Time.start + Int64(index))
        }
        try await one.set("notes", .text("third"), at: Time.start + 2)
        try await one.replica.write { [now = one.wall(Time.start + 2)] in
            try $0.overlay.renameReplica(at: now)
        }
        #expect(try await one.value("name") == .text("second"))
        #expect(try await one.value("notes") == .text("third"))
    }

    @Test func `an entry of another space is refused, whatever the chain says`() async throws {
        let (_, two, log) = try await pair()
        var page = log.page(after: try await two.summary.merged.position)
        let sealed = try Sealing.sealed([Sealing.change("name", .text("elsewhere"))])
        let name = try Upload(parsing: sealed.upload).name
        let entry = LogEntry(
            position: page.position + 1,
            body: sealed.body,
            receipt: [UInt8](repeating: 0, count: 32),
            content: .set(upload: sealed.upload, .accepted)
        )
        page.entries = [entry.encoded]
        (page.position, page.head) = (entry.position, entry.position)
        page.chain = LogChain.link(after: page.chain, name, .accepted)
        await #expect(throws: ReplicaError.malformedPage(space: TestDevice.space)) {
            try await two.replica.write { [moment = two.moment(Time.start), page] in
                try $0.merger.merge(page, into: TestDevice.space, at: moment)
            }
        }
    }

    @Test func `a page that cannot be merged, again and again, does not rename the replica`()
        async throws
    {
        var (one, two, log) = try await pair()
        try await one.set("name", .text("one"), at: Time.start)
        try await one.settle(&log, at: Time.start)
        try await two.set("name", .text("two"), at: Time.start)
        let name = try await two.replica.read { try $0.identity.current() }.replica
        var broken = log.page(after: try await two.summary.merged.position)
        broken.chain = Digest(of: [])
        for _ in 0..<4 {
            await #expect(throws: ReplicaError.self) {
                try await two.replica.write { [moment = two.moment(Time.start), broken] in
                    try $0.merger.merge(
                        broken,
                        into: TestDevice.space,
                        at: moment
                    )
                }
            }
        }
        try await settle([one, two], &log, at: Time.start)
        #expect(try await two.replica.read { try $0.identity.current() }.replica == name)
    }

    @Test func `A15 a forged set is named and counts for nobody, and all else goes on`()
        async throws
    {
        var (one, two, log) = try await pair()
        let other = try await TestDevice.joined(3)
        log.deviceKeys[other.keys.device] = other.keys
        _ = try log.push([try await forgery(by: other)])
        try await one.set("notes", .text("readable"), at: Time.start)
        try await one.settle(&log, at: Time.start)
        try await two.settle(&log, at: Time.start)
        for device in [one, two] {
            #expect(try await device.value("name") == nil)
            #expect(try await device.value("notes") == .text("readable"))
            let status = try await device.replica.read { try $0.maintenance.status() }
            #expect(status.pending == 0 && status.mismatches == 0)
            let breaches = try await device.replica.read { try $0.breaches.open() }
            #expect(breaches.map(\.kind) == [.voidSet])
            #expect(try await device.summary.fingerprint == log.fingerprint())
            let concerns = try await device.replica.read { try $0.rejected.all() }
            #expect(concerns.map(\.changes) == [nil])
            #expect(concerns.map(\.state) == [.void(.badMAC)])
        }
    }

    /// A set that a device sealed with a secret which is not that of the space.
    private func forgery(by device: TestDevice) async throws -> [UInt8] {
        let space = TestDevice.space
        let seal = try await device.replica.read { [keys = device.keys] in
            try $0.sealer.nextSeal(of: $0.spaces.number(ofSpace: space), space, keys.device)
        }
        let stamp = Stamp(time: UInt64(Time.start) << 16, replica: seal.replica)
        let cell = Cell(stamp: stamp, value: .text("unreadable"))
        let change = Change(key: Key("track", .id(row), "name"), cell: cell)
        let wrong = SpaceKeys(
            space: space,
            secrets: [1: Secret(bytes: [UInt8](repeating: 0, count: 32))]
        )
        let sealed = try seal([change], space: wrong, device: device.keys)
        return PushItem(upload: sealed.upload, body: sealed.body).encoded
    }

    @Test func `E4 what is pending is merged once the key is here`() async throws {
        var (one, two, log) = try await pair()
        try await two.replica.damage("DELETE FROM space_key")
        try await one.set("name", .text("a"), at: Time.start)
        try await one.settle(&log, at: Time.start)
        try await two.pull(log, at: Time.start)
        #expect(try await two.replica.read { try $0.maintenance.status() }.pending == 1)
        #expect(try await two.value("name") == nil)
        try await two.replica.write { try $0.controls.learnSecrets(of: TestDevice.space) }
        try await settle([one, two], &log, at: Time.start)
        #expect(try await two.value("name") == .text("a"))
        #expect(try await two.replica.read { try $0.maintenance.status() }.pending == 0)
    }
}
