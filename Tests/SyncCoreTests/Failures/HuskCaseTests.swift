@testable import SyncCore
import Harness
import Testing

/// Sets whose bodies were dropped, because later ones wrote over every cell of theirs.
@Suite struct HuskCaseTests {
    private let row = Identifier(number: 1)

    /// A log of two devices that overwrite each other, and how many of its sets are superseded.
    private func fleet(seed: UInt64) async throws -> Fleet {
        var fleet = try await Fleet(2)
        var random = SplitMix64(seed: seed)
        for step in 1...30 as ClosedRange<Int64> {
            let device = fleet.devices[Int.random(in: 0...1, using: &random)]
            for _ in 0..<Int.random(in: 1...2, using: &random) {
                let fields: [Text] = ["name", "notes", "deleted"]
                try await device.set(
                    fields.randomElement(using: &random) ?? "name",
                    .integer(Int64.random(in: 0...2, using: &random)),
                    at: Time.start + step / 3
                )
            }
            try await device.sync(&fleet.log, at: Time.start + step)
        }
        try await fleet.settle(at: Time.start + Time.second)
        return fleet
    }

    @Test(arguments: Rounds.seeds(1))
    func `K1 with superseded bodies dropped after any cut the state is the same`(
        seed: UInt64
    ) async throws {
        let fleet = try await fleet(seed: seed)
        let log = fleet.log
        #expect(log.huskPositions.count > 5)
        for cut in stride(from: 0, through: log.entries.count, by: 5) {
            let reader = try await TestDevice.joined(11)
            for page in try [log.page(after: 0, limit: cut), log.huskPage(after: UInt64(cut))] {
                _ = try await reader.replica.write { [moment = reader.moment(Time.start)] in
                    try $0.merger.merge(
                        page,
                        into: TestDevice.space,
                        at: moment
                    )
                }
            }
            #expect(try await reader.cells().ofTracks == log.cells().ofTracks, "cut at \(cut)")
            #expect(try await reader.summary.fingerprint == log.fingerprint(), "cut at \(cut)")
            #expect(try await reader.replica.read { try $0.maintenance.status() }.mismatches == 0)
            #expect(try await reader.replica.read { try $0.maintenance.status() }.pending == 0)
        }
    }

    @Test func `K4 a set without its body verifies in its chain, and a flipped bit shows`()
        async throws
    {
        let log = try await fleet(seed: 9).log
        let reader = try await TestDevice.joined(10)
        let page = try log.huskPage(after: 0)
        _ = try await reader.replica.write { [moment = reader.moment(Time.start)] in
            try $0.merger.merge(page, into: TestDevice.space, at: moment)
        }
        let verification = try await reader.replica.read { try $0.maintenance.verify() }
        // The log has none of the control sets, nor the reader's own name, which is sealed.
        let controls = Int(TestSpace.shared.chain.count)
        #expect(verification.faults == [])
        #expect(verification.sets == log.entries.count + controls + 1)
        #expect(try await reader.replica.huskCount() == log.huskPositions.count)
        try await reader.replica.flipTagOfHusk()
        #expect(
            try await reader.replica.read { try $0.maintenance.verify() }.faults.contains {
                $0.contains("members' MAC")
            }
        )
    }
}

extension LogDouble {
    /// The positions of sets of which no cell is left.
    fileprivate var huskPositions: Set<UInt64> {
        let cells = cells()
        return Set(
            entries.indices.filter { index in
                entries[index].changes.allSatisfy { cells[$0.key] != $0.cell }
            }.map { UInt64($0 + 1) }
        )
    }

    /// The rest of the log as a server gives it that dropped every body it could.
    fileprivate func huskPage(after position: UInt64) throws -> Page {
        var page = page(after: position)
        page.entries = try page.entries.map { bytes in
            var entry = try LogEntry(decoding: bytes[...])
            if huskPositions.contains(entry.position) { entry.body = nil }
            return entry.encoded
        }
        return page
    }
}

extension Replica {
    fileprivate func huskCount() throws -> Int {
        try database.first("SELECT count(*) FROM sealed WHERE body IS NULL") {
            Int($0.integer(0))
        } ?? 0
    }

    /// Flips a bit of the members' tag of the first set without a body: it ends where the
    /// device's tag of 32 bytes and its two bytes of length begin.
    fileprivate func flipTagOfHusk() throws {
        let husk = try database.first(
            "SELECT number, upload FROM sealed WHERE body IS NULL ORDER BY number LIMIT 1"
        ) { ($0.integer(0), $0.blob(1)) }
        guard let (number, bytes) = husk else { throw ReplicaError.missing }
        var upload = bytes
        upload[upload.count - 35] ^= 1
        try database.run("UPDATE sealed SET upload = \(upload) WHERE number = \(number)")
    }
}
