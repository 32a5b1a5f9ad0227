@testable import SyncCore
import Testing

/// What a complete check finds.
@Suite struct VerifyingTests {
    private func device() async throws -> (device: TestDevice, log: LogDouble) {
        let device = try await TestDevice.joined(1)
        var log = LogDouble(keys: TestDevice.spaceKeys)
        var recording = try await device.replica.write { [now = device.moment(Time.start)] in
            try $0.recordings.start(
                name: "sail",
                sport: nil,
                in: TestDevice.space,
                at: now
            )
        }
        recording = try await device.replica.write { [recording, now = device.moment(Time.start)] in
            try $0.recordings.append(
                RecordingTests.samples(count: 10),
                to: recording,
                at: now
            )
        }
        try await device.replica.write { [now = device.moment(Time.start), recording] in
            try $0.recordings.stop(recording, at: now)
        }
        try await device.settle(&log, at: Time.start)
        return (device, log)
    }

    @Test func `a sound replica has no faults, and everything is counted`() async throws {
        let (device, log) = try await device()
        let verification = try await device.replica.read { try $0.maintenance.verify() }
        #expect(verification.faults == [])
        let controls = Int(TestSpace.shared.chain.count)
        #expect(verification.sets == log.entries.count + controls)
        #expect(verification.cells == log.cells().count)
        #expect(verification.chunks == 1)
    }

    @Test(arguments: Column.all)
    func `K6 a flipped bit is found`(column: Column) async throws {
        let (device, _) = try await device()
        var random = SplitMix64(seed: 1)
        for _ in 0..<60 {
            let bit: UInt64 = random.next()
            try await device.replica.flip(bit, of: column)
            let faults = try await device.replica.read { try $0.maintenance.verify() }.faults
            #expect(!faults.isEmpty, "\(column.name), bit \(bit)")
            try await device.replica.flip(bit, of: column)
        }
        #expect(try await device.replica.read { try $0.maintenance.verify() }.faults == [])
    }

    /// A column that verification covers, and how to read and write its first value.
    struct Column: Sendable, CustomTestStringConvertible {
        let name: String
        let read: SQL
        let write: @Sendable ([UInt8]) -> SQL

        var testDescription: String { name }

        static let all = [
            Column(
                name: "upload",
                read: "SELECT upload FROM sealed WHERE number = 1",
                write: { "UPDATE sealed SET upload = \($0) WHERE number = 1" }
            ),
            Column(
                name: "body",
                read: "SELECT body FROM sealed WHERE number = 1",
                write: { "UPDATE sealed SET body = \($0) WHERE number = 1" }
            ),
            Column(
                name: "chunk",
                read: "SELECT bytes FROM chunk WHERE number = 1",
                write: { "UPDATE chunk SET bytes = \($0) WHERE number = 1" }
            ),
            Column(
                name: "base",
                read: "SELECT base FROM row WHERE number = 1",
                write: { "UPDATE row SET base = \($0) WHERE number = 1" }
            ),
        ]
    }
}

extension Replica {
    /// Flips one bit of the first value of a column; twice is as if nothing had happened.
    fileprivate func flip(_ bit: UInt64, of column: VerifyingTests.Column) throws {
        var bytes = try database.first(column.read) { $0.blob(0) } ?? []
        bytes[Int(truncatingIfNeeded: bit >> 3) % bytes.count] ^= 1 << UInt8(bit & 7)
        try database.run(column.write(bytes))
    }
}
