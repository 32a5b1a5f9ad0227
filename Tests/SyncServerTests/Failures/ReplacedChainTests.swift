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
        let gaps = try Database(path: restored.folder.path + "/store.db").all(
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
    func `a wrong signature over a set of an earlier log accuses nobody, one of the new log does`(
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
        let told = try await fresh.replica.read { try $0.breaches.all() }
        let accuses = told.contains { $0.kind == .wrongSignature && $0.detail == "\(author)" }
        #expect(accuses == isNew, "\(told)")
    }

    @Test func `after the loss of a log a missing predecessor is no damage, a missing entry is`()
        async throws
    {
        let couple = try await Couple()
        let (boat, phone) = (couple.boat, couple.phone)
        let restored = try await couple.server.copied(newEpoch: true)
        for name in ["first", "second", "third"] as [Text] {
            try await phone.set("name", .text(name), of: couple.track)
            try await [phone, boat].settle(with: restored)
        }
        try Database(path: boat.path).execute(
            """
            DELETE FROM sealed WHERE position = (SELECT max(position) - 1 FROM sealed
                WHERE control IS NULL) AND control IS NULL
            """
        )
        let faults = try await boat.replica.read { try $0.maintenance.verify() }.setFaults
        #expect(!faults.contains { $0.contains("predecessor") }, "\(faults)")
        #expect(faults.contains { $0.contains(": 1 of ") }, "\(faults)")
    }
}
