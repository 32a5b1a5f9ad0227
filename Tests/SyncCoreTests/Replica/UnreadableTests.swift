import Testing

@testable import SyncCore

/// Entries of the log that a replica cannot read, among others that it can.
@Suite struct UnreadableTests {
    /// Three edits of one device in the log, and another device that has none of them.
    private func bed() async throws -> (TestDevice, TestDevice, LogDouble) {
        let (one, two) = (try await TestDevice.joined(1), try await TestDevice.joined(2))
        var log = LogDouble(keys: TestDevice.spaceKeys)
        for (index, field) in ["name", "notes", "sport"].enumerated() {
            try await one.set(Text(field), .text("new"), at: Time.start + Int64(index))
            try await one.settle(&log, at: Time.start + Int64(index))
        }
        return (one, two, log)
    }

    /// A header of another format, which has another field, under both MACs.
    private func upload(ofFormat format: UInt64) -> [UInt8] {
        var header = CBOREncoder()
        header.map(2)
        header.unsigned(0)
        header.unsigned(format)
        header.unsigned(14)
        header.unsigned(1)
        let key = MACKey([1])
        let inner = Envelope.seal(header.bytes, with: key, epoch: 1, for: .space)
        return Envelope.seal(inner, with: key, epoch: 1, for: .device)
    }

    private func entry(_ upload: [UInt8]) -> [UInt8] {
        LogEntry(
            position: 2,
            body: [],
            receipt: [UInt8](repeating: 0, count: 32),
            content: .set(upload: upload, .accepted)
        ).encoded
    }

    @Test func `a view needs no key, and takes no log but the one that it merged`() async throws {
        let (one, _, log) = try await bed()
        let path = one.folder.path + "/view.db"
        func merge(_ page: Page) async throws -> SpaceSummary? {
            let view = try Replica(viewAt: path, of: TestDevice.space)
            _ = try await view.write { [moment = one.moment(Time.start)] in
                try $0.merger.merge(page, into: TestDevice.space, at: moment)
            }
            return try await view.read { try $0.spaces.all() }.first
        }
        var other = log.page(after: 0)
        other.chain = Digest(of: [1])
        await #expect(throws: ReplicaError.self) { try await merge(other) }
        let summary = try await merge(log.page(after: 0))
        #expect(summary?.hasPending == false && summary?.fingerprint == log.fingerprint())
    }

    private func pull(_ device: TestDevice, _ page: Page) async throws -> MergeOutcome {
        try await device.replica.write { [moment = device.moment(Time.start)] in
            try $0.merger.merge(
                page,
                into: TestDevice.space,
                at: moment
            )
        }
    }

    @Test func `a set of a newer format is listed, and the sets around it are merged`()
        async throws
    {
        let (_, two, log) = try await bed()
        var page = log.page(after: 0)
        page.entries[1] = entry(upload(ofFormat: 2))
        #expect(try await pull(two, page).pending == 1)
        // It may have been damaged on its way.
        #expect(try await two.replica.read { try $0.maintenance.status() }.missing == 1)
        try await two.replica.write { [moment = two.moment(Time.start), entry = page.entries[1]] in
            _ = try $0.merger.mergeAgain(
                [entry],
                at: [2],
                MergeOutcome(),
                in: TestDevice.space,
                at: moment
            )
        }
        #expect(try await two.value("name") == .text("new"))
        #expect(try await two.value("notes") == nil)
        #expect(try await two.value("sport") == .text("new"))
        let status = try await two.replica.read { try $0.maintenance.status() }
        #expect(status.pending == 1 && status.missing == 0 && status.mismatches == 0)
        #expect(
            try await two.replica.read { try $0.unreadable.all() } == [
                UnreadableEntry(
                    space: TestDevice.space,
                    position: 2,
                    isAwaited: false,
                    reason: .unknownFormat(2)
                )
            ]
        )
        #expect(try await !two.summary.isComplete)
        #expect(try await two.replica.read { try $0.maintenance.verify() }.faults == [])
    }

    @Test(arguments: [[], [0xff], [0x80], [UInt8](repeating: 0x81, count: 100_000)])
    func `V6 bytes that are no entry stop nothing`(bytes: [UInt8]) async throws {
        let (_, two, log) = try await bed()
        var page = log.page(after: 0)
        page.entries[1] = bytes
        #expect(try await pull(two, page).pending == 1)
        #expect(try await two.value("sport") == .text("new"))
        #expect(try await two.summary.merged.position == 3)
        #expect(try await two.replica.read { try $0.unreadable.all() }.map(\.position) == [2])
    }

    @Test func `what belongs elsewhere in the log is not taken when it can be read`()
        async throws
    {
        let (_, two, log) = try await bed()
        var page = log.page(after: 0)
        let first = page.entries[0]
        page.entries[1] = [0xff]
        _ = try await pull(two, page)
        // The server kept back what it said, and says it at another position.
        try await two.replica.replaceUnreadable(with: first)
        page.entries = []
        _ = try await pull(two, page)
        #expect(try await two.replica.read { try $0.unreadable.all() }.map(\.position) == [2])
    }

    @Test func `a log of junk is not kept without end`() async throws {
        let (_, two, log) = try await bed()
        var page = log.page(after: 0)
        page.entries = Array(repeating: [], count: 1000)
        (page.position, page.head) = (1000, 2000)
        #expect(try await pull(two, page).pending == 1000)
        page.entries = [[]]
        (page.position, page.head) = (1001, 2000)
        let space = TestDevice.space
        await #expect(throws: ReplicaError.tooMuchUnreadable(space: space)) {
            try await pull(two, page)
        }
        #expect(try await two.replica.read { try $0.unreadable.all() }.count == 1000)
    }

    @Test func `as many predecessors may be missing as entries that cannot be read`()
        async throws
    {
        let (_, two, log) = try await bed()
        var page = log.page(after: 0)
        page.entries[0] = [0xff]
        _ = try await pull(two, page)
        let found = try await two.replica.read { try $0.maintenance.verify() }
        #expect(
            found.faults == ["entry 1 of the log is missing: it is not valid CBOR"]
                && found.unreadable == 0
        )
        try await two.replica.forgetUnreadable()
        let gaps = try await two.replica.read { try $0.maintenance.verify() }.faults
        #expect(gaps.count == 2 && gaps[0].contains("1 of") && gaps[1].contains("predecessor"))
    }

    @Test func `V1 a program that can read it does so at its next page`() async throws {
        var (one, two, log) = try await bed()
        var page = log.page(after: 0)
        let bytes = page.entries[1]
        page.entries[1] = [0xff]
        _ = try await pull(two, page)
        try await two.replica.replaceUnreadable(with: bytes)
        try await one.set("colour", .text("red"), at: Time.start + Time.second)
        try await one.settle(&log, at: Time.start + Time.second)
        try await two.settle(&log, at: Time.start + Time.second)
        #expect(try await two.value("notes") == .text("new"))
        #expect(try await two.replica.read { try $0.unreadable.all() }.isEmpty)
        #expect(try await two.summary.fingerprint == log.fingerprint())
        #expect(try await two.replica.read { try $0.maintenance.verify() }.faults == [])
    }

    @Test func `behind an entry that cannot be read none may be left out`() async throws {
        let (_, two, log) = try await bed()
        var page = log.page(after: 0)
        page.entries[0] = [0xff]
        page.entries.remove(at: 1)
        await #expect(throws: ReplicaError.malformedPage(space: TestDevice.space)) {
            try await pull(two, page)
        }
    }
}

extension Replica {
    /// Drops what cannot be read, as no program does.
    fileprivate func forgetUnreadable() throws {
        try database.run("DELETE FROM unreadable")
    }

    /// What a program does that can read the first unreadable entry.
    fileprivate func replaceUnreadable(with entry: [UInt8]) throws {
        try database.run(
            """
            UPDATE unreadable SET entry = \(entry)
            WHERE position = (SELECT min(position) FROM unreadable)
            """
        )
    }
}
