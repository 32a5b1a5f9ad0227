@testable import SyncCore
import Testing

@testable import SyncServer

/// A server that was put back and took other control sets, so that the lost ones count nowhere.
@Suite struct ReplacedChainTests {
    private func code(_ seed: UInt64) -> RecoveryCode {
        var random = SplitMix64(seed: seed)
        return RecoveryCode(using: &random)
    }

    /// A couple whose server is put back.
    ///
    /// The phone alone has the control sets that were lost, and the
    /// boat put another one in the place of the first.
    private struct Scene {
        let couple: Couple
        let restored: TestServer

        var boat: TestDevice { couple.boat }
        var phone: TestDevice { couple.phone }

        init(lostCount: UInt64, _ test: ReplacedChainTests) async throws {
            couple = try await Couple()
            restored = try await couple.server.copied(newEpoch: true)
            let phone = couple.phone
            for seed in 0..<lostCount {
                try await phone.replica.write {
                    try $0.controlSealer.add(test.code(seed), at: phone.moment)
                }
            }
            // The phone has merged none of them yet, so this names none.
            try await phone.set("notes", "behind them", of: couple.track)
            try await phone.sync()
            let boat = couple.boat
            try await boat.replica.write {
                try $0.controlSealer.add(test.code(99), at: boat.moment)
            }
            try await boat.sync(over: restored.transport)
        }
    }

    @Test func `lost control sets beyond the end of the new chain are stored as refused ones`()
        async throws
    {
        let scene = try await Scene(lostCount: 4, self)
        try await scene.phone.sync(over: scene.restored.transport)
        try await [scene.boat, scene.phone].settle(with: scene.restored)
        let gaps = try Database(path: scene.restored.folder.path + "/store.db").all(
            """
            SELECT sequence FROM log l WHERE sequence > 1 AND NOT EXISTS (SELECT 1 FROM log b
                WHERE b.replica_id = l.replica_id AND b.sequence = l.sequence - 1)
            """
        ) { $0.integer(0) }
        #expect(gaps == [])
        #expect(try await scene.boat.value("notes", of: scene.couple.track) == "behind them")
        for device in [scene.boat, scene.phone] {
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
