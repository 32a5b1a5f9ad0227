@testable import SyncCore
import Testing

/// The sums of a base, by which two replicas find what differs, and its repair.
@Suite struct AuditTests {
    /// A device with rows of two collections in its base, and one change on top.
    private func device() async throws -> (device: TestDevice, log: LogDouble) {
        let device = try await TestDevice.joined(1)
        var log = LogDouble(keys: TestDevice.spaceKeys)
        for number in 1...40 {
            let row = Identifier(number: UInt128(number))
            try await device.set("name", .integer(Int64(number)), of: row, at: Time.start)
            try await device.set("notes", .text("a"), of: row, at: Time.start)
        }
        try await device.settle(&log, at: Time.start)
        try await device.set("notes", .text("over"), at: Time.start + 1)
        return (device, log)
    }

    private func place(_ number: UInt64) -> RowPlace {
        let row = Row.id(Identifier(number: UInt128(number)))
        return RowPlace(collection: "track", row: row.encoded)
    }

    private func sums(_ device: TestDevice, _ scope: AuditScope) async throws -> [AuditSum] {
        try await device.replica.read { try $0.audit.sums(TestDevice.space, scope) }.sums
    }

    /// The rows in which a device differs from another, as an audit finds them.
    private func differences(_ left: TestDevice, _ right: TestDevice) async throws -> Set<RowPlace>
    {
        func differences(_ scope: AuditScope) async throws -> Set<AuditSum.Name> {
            let (left, right) = (try await sums(left, scope), try await sums(right, scope))
            return AuditSum.differences(left, right)
        }
        var rows: Set<RowPlace> = []
        for case .collection(let collection) in try await differences(.collections) {
            for case .bucket(let bucket) in try await differences(.buckets(of: collection)) {
                let scope = AuditScope.rows(of: collection, bucket: bucket)
                for case .row(let row) in try await differences(scope) {
                    rows.insert(RowPlace(collection: collection, row: row))
                }
            }
        }
        return rows
    }

    @Test func `the parts of each scope add up to the fingerprint`() async throws {
        let (device, _) = try await device()
        let summary = try await device.summary
        let collections = try await sums(device, .collections)
        var total = Fingerprint()
        for part in collections {
            total.add(part.sum)
            guard case .collection(let collection) = part.name else { continue }
            var buckets = Fingerprint()
            for bucket in try await sums(device, .buckets(of: collection)) {
                buckets.add(bucket.sum)
                guard case .bucket(let number) = bucket.name else { continue }
                let rows = try await sums(device, .rows(of: collection, bucket: number))
                let sum = rows.reduce(into: Fingerprint()) { $0.add($1.sum) }
                #expect(sum == bucket.sum && !rows.isEmpty)
            }
            #expect(buckets == part.sum)
        }
        #expect(total == summary.fingerprint && collections.count >= 2)
        let cursor = try await device.replica.read {
            try $0.audit.sums(TestDevice.space, .collections)
        }.cursor
        #expect(cursor == summary.merged)
        #expect(try await sums(device, .buckets(of: "nothing")).isEmpty)
    }

    /// What can happen to a base, and how many rows it shows in.
    static let damages: [(sql: String, rows: Int)] = [
        ("UPDATE row SET base = x'' WHERE row = (SELECT max(row) FROM row)", 1),
        ("DELETE FROM row WHERE row = (SELECT max(row) FROM row)", 1),
        ("UPDATE row SET base = (SELECT base FROM row WHERE number = 5) WHERE number = 6", 1),
        ("UPDATE row SET row = x'40' WHERE row = (SELECT max(row) FROM row)", 2),
        ("UPDATE row SET base = x'', overlay = x'' WHERE row = (SELECT max(row) FROM row)", 1),
        ("UPDATE space SET fingerprint = zeroblob(32)", 0),
    ]

    @Test(arguments: damages)
    func `K6 what differs is found row by row and merged anew`(
        damage: (sql: String, rows: Int)
    ) async throws {
        let (device, log) = try await device()
        let other = try await TestDevice.joined(2)
        var copy = log
        try await other.settle(&copy, at: Time.start)
        try await device.settle(&copy, at: Time.start + 1)
        try await other.settle(&copy, at: Time.start + 1)
        try await device.replica.execute(damage.sql)
        let rows = try await differences(device, other)
        #expect(rows.count == damage.rows)
        let changed = try await device.replica.write {
            try $0.audit.repairBase(rows, of: TestDevice.space)
        }
        #expect(changed == rows)
        #expect(try await device.summary.fingerprint == copy.fingerprint())
        #expect(try await differences(device, other).isEmpty)
        #expect(try await device.cells() == copy.cells())
        #expect(try await device.replica.read { try $0.maintenance.verify() }.faults == [])
    }

    @Test func `a repair leaves what lies over the base, and what is right`() async throws {
        let (device, log) = try await device()
        let places = Set((1...40).map { place($0) })
        #expect(try await device.summary.fingerprint == log.fingerprint())
        #expect(
            try await device.replica.write { try $0.audit.repairBase(places, of: TestDevice.space) }
                .isEmpty
        )
        #expect(try await device.value("notes") == .text("over"))
        let row = Identifier(number: 1).bytes.hexadecimal
        try await device.replica.execute(
            "UPDATE row SET base = x'' WHERE collection = 'track' AND row = x'50\(row)'"
        )
        let changed = try await device.replica.write {
            try $0.audit.repairBase(places, of: TestDevice.space)
        }
        #expect(changed == [place(1)])
        #expect(try await device.value("notes") == .text("over"))
        #expect(try await device.value("name") == .integer(1))
        #expect(try await device.summary.fingerprint == log.fingerprint())
        #expect(try await device.replica.hasOverlay())
    }

    @Test func `damaged cells are merged again from the sets and from what is not sent`()
        async throws
    {
        let (device, log) = try await device()
        let row = Identifier(number: 1).bytes.hexadecimal
        try await device.replica.execute(
            """
            UPDATE row SET base = x'', overlay = x'ff'
            WHERE collection = 'track' AND row = x'50\(row)'
            """
        )
        let changed = try await device.replica.write {
            try $0.audit.repairBase([place(1)], of: TestDevice.space)
        }
        #expect(changed.isEmpty)
        #expect(try await device.value("notes") == .text("over"))
        #expect(try await device.value("name") == .integer(1))
        #expect(try await device.summary.fingerprint == log.fingerprint())
    }

    @Test func `a row that the server's view alone has is not made here`() async throws {
        let (device, _) = try await device()
        #expect(
            try await device.replica.write {
                try $0.audit.repairBase([place(99)], of: TestDevice.space)
            }.isEmpty
        )
        let row = Row.id(Identifier(number: 99))
        let isHere = try await device.replica.read { try $0.rows.find(1, "track", row) != nil }
        #expect(!isHere)
        #expect(try await device.replica.read { try $0.maintenance.verify() }.faults == [])
    }

    @Test func `what the log does not know goes from the base`() async throws {
        let (device, log) = try await device()
        try await device.replica.execute(
            """
            INSERT INTO row (space, collection, row, base, overlay, sets)
            SELECT space, 'other', row, base, x'', x'' FROM row WHERE number = 5
            """
        )
        let sums = try await sums(device, .collections)
        #expect(sums.contains { $0.name == .collection("other") })
        let row = try await device.replica.rowBytes(5)
        let place = RowPlace(collection: "other", row: row)
        #expect(
            try await device.replica.write {
                try $0.audit.repairBase([place], of: TestDevice.space)
            } == [place]
        )
        #expect(try await device.summary.fingerprint == log.fingerprint())
        let left = try await self.sums(device, .collections)
        #expect(!left.contains { $0.name == .collection("other") })
    }

    @Test(arguments: [
        AuditScope.collections, .buckets(of: "track"), .rows(of: "track", bucket: 0),
        .rows(of: "", bucket: 255),
    ])
    func `requests and replies are read as they were written`(scope: AuditScope) throws {
        for rebuilds in [false, true] {
            let request = AuditRequest(
                space: Identifier(number: 1),
                cursor: LogPosition(epoch: Identifier(number: 2), position: 3),
                scope: scope,
                rebuilds: rebuilds
            )
            #expect(try AuditRequest(decoding: request.encoded) == request)
        }
        let name: AuditSum.Name =
            switch scope {
            case .collections: .collection("track")
            case .buckets: .bucket(7)
            case .rows: .row([0x61, 0x61])
            }
        var sum = Fingerprint()
        sum.add(try #require(Fingerprint(bytes: Digest(of: [1]).bytes)))
        let reply = AuditReply(position: 9, sums: [AuditSum(name: name, sum: sum)])
        #expect(try AuditReply(decoding: reply.encoded, for: scope) == reply)
        for end in 0..<reply.encoded.count {
            #expect(throws: CBORError.self) {
                try AuditReply(decoding: Array(reply.encoded[..<end]), for: scope)
            }
        }
    }

    @Test func `a bucket needs its collection, and is a byte`() {
        let head: [UInt8] = [0x00, 0x50] + Identifier.zero.bytes + [0x01, 0x50]
        let ids = head + Identifier.zero.bytes + [0x02, 0x00]
        for (count, rest) in [
            (UInt8(4), [0x04, 0x00] as [UInt8]), (5, [0x03, 0x60, 0x04, 0x19, 1, 0]),
        ] {
            #expect(throws: CBORError.self) {
                try AuditRequest(decoding: [0xa0 + count] + ids + rest)
            }
        }
    }
}

extension Replica {
    /// Damages the file as a test asks for.
    fileprivate func execute(_ sql: String) throws {
        try database.execute(sql)
    }

    fileprivate func rowBytes(_ number: Int64) throws -> [UInt8] {
        try database.first("SELECT row FROM row WHERE number = \(number)") {
            $0.blob(0)
        } ?? []
    }
}
