@testable import SyncCore
import Testing

@testable import SyncServer

/// A server that was put back, and its devices, which know control sets or a log that it lost.
@Suite struct ReplacedChainTests {
    private func code(_ seed: UInt64) -> RecoveryCode {
        var random = SplitMix64(seed: seed)
        return RecoveryCode(using: &random)
    }

    private func add(_ code: RecoveryCode, on device: TestDevice) async throws {
        try await device.replica.write { try $0.controlSealer.add(code, at: device.moment) }
    }

    @Test func `lost control sets beyond the end of the new chain are stored as refused ones`()
        async throws
    {
        let couple = try await Couple()
        let (boat, phone) = (couple.boat, couple.phone)
        let restored = try await couple.server.copied(newEpoch: true)
        for seed: UInt64 in 1...4 { try await add(code(seed), on: phone) }
        // The phone has merged none of these yet, so this change set names none.
        try await phone.set("notes", "after the control sets", of: couple.track)
        try await phone.sync()
        // Takes the place of the first.
        try await add(code(99), on: boat)
        try await boat.sync(over: restored.transport)

        try await phone.sync(over: restored.transport)
        try await couple.devices.settle(with: restored)
        let store = try Database(path: restored.folder.path + "/store.db")
        let refused = try store.first(
            "SELECT count(*) FROM log WHERE verdict = 2 AND reason = 'stale'"
        ) { $0.integer(0) }
        #expect(refused == 4)
        let gaps = try store.all(
            """
            SELECT sequence FROM log l WHERE sequence > 1 AND NOT EXISTS (SELECT 1 FROM log b
                WHERE b.replica_id = l.replica_id AND b.sequence = l.sequence - 1)
            """
        ) { $0.integer(0) }
        #expect(gaps == [])
        #expect(try await boat.value("notes", of: couple.track) == "after the control sets")
        for device in couple.devices {
            #expect(try await device.replica.read { try $0.maintenance.verify() }.faults == [])
            #expect(try await device.replica.read { try $0.breaches.all() } == [])
        }
    }

    @Test(arguments: [false, true])
    func `a wrong signature accuses at once in the log of its author, and later in another one`(
        isNew: Bool
    ) async throws {
        let couple = try await Couple()
        let boat = couple.boat
        try await boat.set("name", "in the old log", of: couple.track)
        try await couple.settle()
        var author = try await boat.replica.read { try $0.identity.current() }.replica
        let restored = try await couple.server.copied(newEpoch: true)
        try await couple.devices.settle(with: restored)
        if isNew {
            // In the new log it writes under another name.
            author = try await boat.replica.read { try $0.identity.current() }.replica
            try await boat.set("name", "in the new log", of: couple.track)
            try await boat.sync(over: restored.transport)
        }
        let garbled = restored.altering { signature in
            Signature(bytes: signature.bytes.map { $0 ^ 1 })
        }
        let fresh = try TestDevice("fresh", restored)
        try await fresh.join(try await couple.phone.link(at: restored))
        try await fresh.sync(over: garbled)
        #expect(try await fresh.accuses(of: .wrongSignature, author) == isNew)
        for _ in 1...3 {
            restored.clock.advance(by: 2 * UnsignedHeads.patience)
            try await fresh.sync(over: garbled)
        }
        #expect(try await fresh.accuses(of: .unsignedSets, author) != isNew)
    }

    @Test func `a signature that names a lost control set is right as soon as that is brought`()
        async throws
    {
        let couple = try await Couple()
        let (boat, phone) = (couple.boat, couple.phone)
        let tablet = try TestDevice("tablet", couple.server)
        try await tablet.join(try await boat.link())
        for device in [tablet, boat, phone] { try await device.sync() }
        let restored = try await couple.server.copied(newEpoch: true)
        try await add(code(1), on: phone)
        try await phone.sync()
        try await boat.sync()
        try await boat.set("name", "after a lost control set", of: couple.track)
        for device in [boat, phone] { try await device.sync() }
        // Takes the place of the lost one, which the head of the boat's replica names.
        try await add(code(99), on: tablet)
        try await tablet.sync(over: restored.transport)

        // The phone brings the boat's set with the signature of then.
        let devices = [phone, boat, tablet]
        try await devices.settle(with: restored)
        let fresh = try TestDevice("fresh", restored)
        try await fresh.join(try await tablet.link(at: restored))
        for _ in 1...3 {
            try await fresh.sync(over: restored.transport)
            restored.clock.advance(by: 2 * UnsignedHeads.patience)
        }
        try await (devices + [fresh]).settle(with: restored)
        #expect(try await fresh.value("name", of: couple.track) == "after a lost control set")
    }

    @Test func `a member surely has a control set once its cursor has passed it`()
        async throws
    {
        let couple = try await Couple()
        try await add(code(7), on: couple.boat)
        try await couple.settle()
        let space = try await couple.boat.space()
        let (cursor, controls, place) = try await couple.boat.replica.read { replica in
            let cursor = try unwrapped(try replica.spaces.all().first { $0.id == space }).merged
            let controls = try replica.controls.chain(of: space).count
            let place = try replica.lineage.database.first(
                "SELECT position FROM sealed WHERE control = \(controls - 1)"
            ) { $0.unsigned(0) }
            return (cursor, controls, try unwrapped(place))
        }
        for (position, follows) in [(place - 1, false), (place, true), (place + 1, true)] {
            let seen = Seen(
                position: LogPosition(epoch: cursor.epoch, position: position),
                chain: .zero,
                controls: controls
            )
            let answer = try await couple.boat.replica.read { replica in
                try replica.signedHeads.followsThisChain(
                    seen,
                    of: cursor.epoch,
                    in: try replica.spaces.number(ofSpace: space)
                )
            }
            #expect(answer == follows, "at \(position), the set is at \(place)")
        }
    }

    @Test(arguments: [false, true])
    func `a missing predecessor is damage, unless its set is of an earlier log`(
        isNew: Bool
    ) async throws {
        let couple = try await Couple()
        let (boat, phone) = (couple.boat, couple.phone)
        let restored = try await couple.server.copied(newEpoch: true)
        if isNew { try await couple.devices.settle(with: restored) }
        let server = isNew ? restored : couple.server
        for name in ["first", "second", "third"] as [Text] {
            try await phone.set("name", .text(name), of: couple.track)
            try await [phone, boat].settle(with: server)
        }
        try await couple.devices.settle(with: restored)
        try Database(path: boat.path).execute(
            """
            DELETE FROM sealed WHERE number = (SELECT max(q.number) FROM sealed q JOIN sealed n
                ON n.space = q.space AND n.replica = q.replica AND n.sequence = q.sequence + 1
                WHERE q.control IS NULL AND n.control IS NULL)
            """
        )
        let faults = try await boat.replica.read { try $0.maintenance.verify() }.setFaults
        #expect(faults.contains { $0.contains("predecessor") } == isNew, "\(faults)")
        #expect(faults.contains { $0.contains(": 1 of ") }, "\(faults)")
    }
}

extension TestDevice {
    fileprivate func accuses(of kind: Breach.Kind, _ author: Identifier) async throws -> Bool {
        try await replica.read { try $0.breaches.all() }
            .contains { $0.kind == kind && $0.detail == "\(author)" }
    }
}
