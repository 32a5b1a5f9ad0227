@testable import SyncCore
import Testing

/// A bit flips in what only this device has: nothing is lost but what no other part of the file has.
@Suite struct DamageTests {
    private static let row = Identifier(number: 1)
    private static let bitCount = 24

    /// A device with cells in its base, an unsealed change over them and, if `isSealed`, a waiting
    /// set as well.
    private func device(isSealed: Bool) async throws -> (device: TestDevice, log: LogDouble) {
        let device = try await TestDevice.joined(1)
        var log = LogDouble(keys: TestDevice.spaceKeys)
        try await device.set("name", .text("sail"), at: Time.start)
        try await device.set("notes", .text("old"), at: Time.start)
        try await device.settle(&log, at: Time.start)
        if isSealed {
            try await device.set("notes", .text("new"), at: Time.start + 1)
            try await device.set("gear", .text("dinghy"), at: Time.start + 2)
            try await device.seal(at: Time.start + 3)
        }
        try await device.set("sport", .text("sailing"), at: Time.start + 4)
        return (device, log)
    }

    /// What every device has at the end.
    private static func values(isSealed: Bool) -> [Text: Value] {
        let sent: [Text: Value] = ["name": .text("sail"), "sport": .text("sailing")]
        return sent.merging(
            isSealed
                ? ["notes": .text("new"), "gear": .text("dinghy")] : ["notes": .text("old")]
        ) { $1 }
    }

    private func values(_ device: TestDevice) async throws -> [Text: Value] {
        try await device.replica.read {
            try $0.rows.cells("track", .id(Self.row), in: TestDevice.space)
        }.mapValues(\.value)
    }

    private func events(_ device: TestDevice) async throws -> [String] {
        try await device.replica.read { try $0.events.latest() }
            .filter { $0.kind == .repaired }.map(\.detail)
    }

    /// A value of the file, and where it is.
    struct Place: Sendable, CustomTestStringConvertible {
        let table: String
        let column: String
        let isNumber: Bool
        var isSealed = true

        var testDescription: String { "\(table).\(column), \(isSealed)" }

        static let all: [Place] =
            ["base", "overlay"].flatMap { column in
                [true, false].map {
                    Place(table: "row", column: column, isNumber: false, isSealed: $0)
                }
            }
            + [
                ("field", false), ("value", false), ("time", true), ("lead", true), ("sum", true),
                ("row", true), ("reissued", true),
            ].map { Place(table: "unsealed", column: $0.0, isNumber: $0.1) }
            + ["upload", "body", "hash"].map {
                Place(table: "sealed", column: $0, isNumber: false)
            }

        var condition: String {
            switch table {
            case "row": "collection = 'track'"
            case "sealed": "position IS NULL AND verdict IS NULL AND control IS NULL"
            default: "true"
            }
        }
    }

    @Test(arguments: Place.all)
    func `a flipped bit in what no server has loses nothing`(place: Place) async throws {
        var random = SplitMix64(seed: 1)
        for _ in 0..<Self.bitCount {
            let bit: UInt64 = random.next()
            var (device, log) = try await device(isSealed: place.isSealed)
            try await device.replica.flip(bit, at: place)
            try await device.settle(&log, at: Time.start + 10)
            let other = try await TestDevice.joined(2)
            try await other.settle(&log, at: Time.start + 11)
            for device in [device, other] {
                #expect(
                    try await values(device) == Self.values(isSealed: place.isSealed),
                    "bit \(bit) of \(place.testDescription)"
                )
                let faults = try await device.replica.read { try $0.maintenance.verify() }.faults
                #expect(faults == [], "bit \(bit) of \(place.testDescription)")
            }
            #expect(
                try await events(device).count == 1,
                "bit \(bit) of \(place.testDescription)"
            )
        }
    }

    @Test(arguments: Place.all)
    func `doctor finds and restores a flipped bit in what no server has`(place: Place) async throws
    {
        var random = SplitMix64(seed: 2)
        for _ in 0..<Self.bitCount {
            let bit: UInt64 = random.next()
            let (device, _) = try await device(isSealed: place.isSealed)
            try await device.replica.flip(bit, at: place)
            let words: Comment = "bit \(bit) of \(place.testDescription)"
            #expect(
                try await !device.replica.read { try $0.maintenance.verify() }.faults.isEmpty,
                words
            )
            let outcome = try await device.replica.write { [now = device.wall(Time.start + 9)] in
                try $0.repairs.repair(at: now)
            }
            #expect(outcome.restored == 1, words)
            #expect(try await values(device) == Self.values(isSealed: place.isSealed), words)
            #expect(
                try await device.replica.read { try $0.maintenance.verify() }.faults == [],
                words
            )
        }
    }

    @Test func `a row and a set that are both damaged cost only what both had`() async throws {
        var (device, log) = try await device(isSealed: true)
        let other = Identifier(number: 2)
        try await device.set("name", .text("kept"), of: other, at: Time.start + 5)
        try await device.replica.damage(
            """
            UPDATE row SET overlay = x'ff'
            WHERE number = (SELECT min(number) FROM row WHERE collection = 'track')
            """
        )
        try await device.replica.damage(
            "UPDATE sealed SET body = x'ff' WHERE verdict IS NULL AND control IS NULL"
        )
        try await device.settle(&log, at: Time.start + 10)
        #expect(
            try await values(device) == [
                "name": .text("sail"), "notes": .text("old"), "sport": .text("sailing"),
            ]
        )
        #expect(try await device.value("name", of: other) == .text("kept"))
        #expect(try await device.replica.read { try $0.maintenance.verify() }.faults == [])
        #expect(try await events(device).contains { $0.contains("from what was left") })
    }
}

/// Several parts are damaged at once, and each is restored with the help of the others.
extension DamageTests {
    @Test func `an unsealed change and a waiting set that are both damaged are restored`()
        async throws
    {
        var (device, log) = try await device(isSealed: true)
        try await device.replica.damage("UPDATE unsealed SET value = x'00'")
        try await device.replica.damage(
            "UPDATE sealed SET body = x'ff' WHERE verdict IS NULL AND control IS NULL"
        )
        try await device.settle(&log, at: Time.start + 10)
        #expect(try await values(device) == Self.values(isSealed: true))
        #expect(try await device.replica.read { try $0.maintenance.verify() }.faults == [])
    }

    @Test func `two rows of one track that are both damaged are restored`() async throws {
        let (device, track, _) = try await recorded(isSealed: true)
        try await device.replica.damage(
            "UPDATE row SET overlay = x'ff' WHERE collection IN ('track', 'points')"
        )
        #expect(try await device.value("name", of: track) == .text("sail"))
        #expect(try await device.tracks().map(\.sampleCount) == [500])
        try await device.expectSound()
    }

    @Test func `a damaged change that waits for a chunk is restored, not believed`() async throws {
        let (device, track, bytes) = try await recorded(isSealed: true)
        var log = LogDouble(keys: TestDevice.spaceKeys)
        try await device.replica.damage("UPDATE chunk SET bytes = x'00010203'")
        try await device.settle(&log, at: Time.start + 2)
        try await device.replica.damage("UPDATE unsealed SET time = time + 65536")
        try await device.replica.write { try $0.chunks.store(bytes, of: Digest(of: bytes)) }
        try await device.settle(&log, at: Time.start + 4)
        let points = try await device.replica.read {
            try $0.rows.cells("points", .id(track), in: TestDevice.space)
        }
        #expect(points.values.allSatisfy { cell in log.cells().values.contains(cell) })
        #expect(try await device.replica.read { try $0.maintenance.status() }.isSent)
        try await device.expectSound()
    }

    @Test func `a row whose sets are not in the index is restored from all sets`() async throws {
        let (device, log) = try await device(isSealed: true)
        try await device.replica.damage(
            "UPDATE row SET base = x'ff', sets = x'' WHERE collection = 'track'"
        )
        #expect(try await values(device) == Self.values(isSealed: true))
        #expect(try await device.summary.fingerprint == log.fingerprint())
        _ = try await device.replica.write { [now = device.wall(Time.start + 9)] in
            try $0.repairs.repair(at: now)
        }
        #expect(try await device.replica.read { try $0.maintenance.verify() }.faults == [])
    }

    @Test func `points that come with another file are here again`() async throws {
        let (device, track, bytes) = try await recorded(isSealed: true)
        var log = LogDouble(keys: TestDevice.spaceKeys)
        try await device.replica.damage("UPDATE chunk SET bytes = x'00010203'")
        try await device.settle(&log, at: Time.start + 2)
        try await device.replica.write {
            let place = RowAddress(
                space: try $0.spaces.number(ofSpace: TestDevice.space),
                id: Identifier(number: 99)
            )
            try $0.chunks.insert(bytes, try Chunk.content(of: bytes), for: place)
        }
        try await device.settle(&log, at: Time.start + 4)
        #expect(try await device.replica.read { try $0.maintenance.status() }.isSent)
        #expect(log.cells().keys.contains { $0.row == .id(track) && $0.collection == "points" })
    }
}

/// Chunks of which the device has the only copy.
extension DamageTests {
    fileprivate func recorded(isSealed: Bool) async throws -> (
        device: TestDevice, track: Identifier, bytes: [UInt8]
    ) {
        let device = try await TestDevice.joined(1)
        let track = try await device.sail(count: 500)
        if isSealed { try await device.seal(at: Time.start + 1) }
        let bytes = try await device.replica.read { replica in
            let hash = try replica.database.first("SELECT hash FROM chunk") { $0.digest(0) }
            return try hash.flatMap(replica.chunks.bytes) ?? []
        }
        return (device, track, bytes)
    }

    @Test(arguments: [true, false])
    func `a damaged only copy of points waits, and the rest is sent`(isSealed: Bool) async throws {
        let (device, track, bytes) = try await recorded(isSealed: isSealed)
        var log = LogDouble(keys: TestDevice.spaceKeys)
        try await device.replica.damage("UPDATE chunk SET bytes = x'00010203'")
        try await device.settle(&log, at: Time.start + 2)
        let other = try await TestDevice.joined(2)
        try await other.settle(&log, at: Time.start + 3)
        #expect(try await other.value("name", of: track) == .text("sail"))
        let status = try await device.replica.read { try $0.maintenance.status() }
        #expect(status.lostChunks == 1 && !status.isSent && status.unsealed == 0)
        let found = try await device.replica.read { try $0.maintenance.verify() }
        #expect(found.lostFaults.count == 1 && found.faults.count == 1)

        try await device.replica.write { try $0.chunks.store(bytes, of: Digest(of: bytes)) }
        try await device.settle(&log, at: Time.start + 4)
        try await other.settle(&log, at: Time.start + 5)
        try await other.fetchChunks(from: log)
        #expect(try await device.replica.read { try $0.maintenance.status() }.isSent)
        for device in [device, other] {
            #expect(try await device.tracks().map(\.sampleCount) == [500])
            try await device.expectSound()
        }
    }

    @Test(arguments: [true, false])
    func `points that a salvage lost wait, and the rest is sent`(isSealed: Bool) async throws {
        let (device, track, bytes) = try await recorded(isSealed: isSealed)
        var log = LogDouble(keys: TestDevice.spaceKeys)
        try await device.replica.damage("UPDATE chunk SET bytes = x'00010203'")
        var generator = SplitMix64(seed: 7)
        let salvage = try await Replica.salvage(
            from: device.folder.path + "/" + device.file,
            to: device.folder.path + "/saved",
            at: device.wall(Time.start + 1),
            using: &generator
        )
        #expect(salvage.damaged == 1)
        let saved = try device.opened("saved")
        try await saved.getControls(at: Time.start + 1)
        try await saved.settle(&log, at: Time.start + 2)
        #expect(log.cells()[Key("track", .id(track), "name")]?.value == .text("sail"))
        #expect(try await saved.replica.read { try $0.maintenance.status() }.lostChunks == 1)
        try await saved.set("name", .text("renamed"), of: track, at: Time.start + 3)
        try await saved.settle(&log, at: Time.start + 4)
        #expect(log.cells()[Key("track", .id(track), "name")]?.value == .text("renamed"))

        try await saved.replica.write { try $0.chunks.store(bytes, of: Digest(of: bytes)) }
        try await saved.settle(&log, at: Time.start + 5)
        #expect(try await saved.replica.read { try $0.maintenance.status() }.isSent)
        #expect(try await saved.tracks().map(\.sampleCount) == [500])
    }

    @Test func `a change of a row whose points wait is sent`() async throws {
        let (device, track, _) = try await recorded(isSealed: true)
        var log = LogDouble(keys: TestDevice.spaceKeys)
        try await device.replica.damage("UPDATE chunk SET bytes = x'00010203'")
        try await device.settle(&log, at: Time.start + 2)
        try await device.set("name", .text("renamed"), of: track, at: Time.start + 3)
        try await device.settle(&log, at: Time.start + 4)
        #expect(log.cells()[Key("track", .id(track), "name")]?.value == .text("renamed"))
        #expect(try await device.replica.read { try $0.maintenance.status() }.lostChunks == 1)
    }
}

extension Replica {
    /// Flips one bit of the first value of a place.
    fileprivate func flip(_ bit: UInt64, at place: DamageTests.Place) throws {
        let (column, table) = (place.column, place.table)
        if place.isNumber {
            let mask = Int64(1) << Int64(bit % 40)
            return try database.execute(
                """
                UPDATE \(table) SET \(column) = (\(column) | \(mask)) - (\(column) & \(mask))
                WHERE \(place.condition)
                """
            )
        }
        let hex = try database.first(
            SQL(stringLiteral: "SELECT hex(\(column)) FROM \(table) WHERE \(place.condition)")
        ) { $0.text(0) }
        var bytes = try #require([UInt8](hexadecimal: hex ?? ""))
        bytes[Int(truncatingIfNeeded: bit >> 3) % bytes.count] ^= 1 << UInt8(bit & 7)
        try database.execute(
            "UPDATE \(table) SET \(column) = x'\(bytes.hexadecimal)' WHERE \(place.condition)"
        )
    }
}
