@testable import SyncCore
import Testing

/// What a complete check finds.
@Suite struct VerifyingTests {
    private func device() async throws -> (device: TestDevice, log: LogDouble) {
        let device = try await TestDevice.joined(1)
        var log = LogDouble(keys: TestDevice.spaceKeys)
        var recording = try await device.replica.startRecording(
            name: "sail",
            sport: nil,
            in: TestDevice.space,
            at: device.wall(Time.start)
        )
        try await device.replica.append(
            RecordingTests.samples(count: 10),
            to: &recording,
            at: device.wall(Time.start)
        )
        try await device.replica.stopRecording(recording, at: device.wall(Time.start))
        try await device.settle(&log, at: Time.start)
        return (device, log)
    }

    @Test func `a sound replica has no faults, and everything is counted`() async throws {
        let (device, log) = try await device()
        let verification = try await device.replica.verify()
        #expect(verification.faults == [])
        #expect(verification.sets == log.entries.count)
        #expect(verification.cells == log.cells().count)
        #expect(verification.chunks == 1)
    }

    @Test(arguments: [
        ("sealed", "upload"), ("sealed", "body"), ("chunk", "bytes"), ("row", "base"),
    ])
    func `K6: a flipped bit is found`(table: String, column: String) async throws {
        let (device, _) = try await device()
        let count = try await device.replica.byteCount(of: column, in: table)
        var random = SplitMix64(seed: 1)
        for _ in 0..<60 {
            let bit = Int.random(in: 0..<count * 8, using: &random)
            try await device.replica.flip(bit, of: column, in: table)
            let faults = try await device.replica.verify().faults
            #expect(!faults.isEmpty, "\(table).\(column) bit \(bit)")
            try await device.replica.flip(bit, of: column, in: table)
        }
        #expect(try await device.replica.verify().faults == [])
    }
}

extension Replica {
    fileprivate func byteCount(of column: String, in table: String) throws -> Int {
        let name = "length(\(column)) FROM \(table) WHERE length(\(column)) > 0"
        return try database.first("SELECT \(name)") { Int($0.integer(0)) } ?? 0
    }

    /// Flips one bit of the first value of a column; twice is as if nothing had happened.
    fileprivate func flip(_ bit: Int, of column: String, in table: String) throws {
        let place = "\(column) FROM \(table) WHERE length(\(column)) > 0"
        var bytes = try database.first("SELECT \(place)") { $0.blob(0) } ?? []
        bytes[bit / 8] ^= 1 << UInt8(bit % 8)
        let rest = "\(table) SET \(column) = $1"
        try database.run(
            "UPDATE " + rest + " WHERE rowid = (SELECT min(rowid) FROM \(table)"
                + " WHERE length(\(column)) > 0)",
            .blob(bytes)
        )
    }
}
