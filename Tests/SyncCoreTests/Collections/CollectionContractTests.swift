import Harness
import Testing

@testable import SyncCore

/// What every kind of data can do, of which nothing else here is known: run over the registry, a
/// collection that exists here only, and one that no program declares.
@Suite struct CollectionContractTests {
    static let collections = CollectionRegistry(CollectionRegistry.standard.all + [.trinket])

    /// A field of each collection that can be written by hand, unlike the proof of who made a row.
    static let fields: [DeclaredField] =
        collections.all.flatMap { schema in
            schema.fields.filter { $0.name != FieldSchema.made.name }
                .map { DeclaredField(schema: schema, field: $0) }
        } + [DeclaredField(unknown: "future")]

    static let ownFields = fields.filter { $0.schema.rows == .own && $0.field.role == .value }

    private static func devices(_ count: UInt64) async throws -> [TestDevice] {
        var devices: [TestDevice] = []
        for number in 1...count {
            devices.append(try await .joined(number, collections: collections))
        }
        return devices
    }

    /// Five replicas write one field, none of them knowing the others; a reader who gets the sets in any
    /// order sees the same value, conflicts and history.
    @Test(arguments: fields)
    func `five concurrent edits converge in any order and show as conflicts`(given: DeclaredField)
        async throws
    {
        var log = LogDouble(keys: TestDevice.spaceKeys)
        var items: [[UInt8]] = []
        for (index, device) in try await Self.devices(5).enumerated() {
            try await given.write(index, on: device, at: Time.start + Int64(index))
            log.deviceKeys[device.keys.device] = device.keys
            try await device.seal(at: Time.start + 10)
            items += try await device.replica.pushItems(of: TestDevice.space, byteLimit: 1 << 22)
        }
        let last = given.value(4)
        let others = (0..<4).map(given.value).filter { $0 != last }
        for order in Rounds.sample(Self.permutations(of: Array(items.indices)), every: 40) {
            var log = log
            _ = try log.push(order.map { items[$0] })
            let reader = try await TestDevice.joined(9, collections: Self.collections)
            try await reader.pull(log, at: Time.start + 20)
            let key = given.key(on: reader)
            let cells = try await reader.replica.read {
                try $0.rows.cells(
                    key.collection,
                    key.row,
                    in: TestDevice.space
                )
            }
            #expect(cells[key.field]?.value == last, "\(order)")
            #expect(try await reader.summary.fingerprint == log.fingerprint(), "\(order)")
            let conflicts = try await reader.replica.read {
                try $0.conflicts.all(in: TestDevice.space)
            }
            .filter { $0.winner.key == key }
            #expect(conflicts.count == (given.field.isEdited ? others.count : 0), "\(order)")
            #expect(conflicts.allSatisfy { $0.winner.cell.value == last })
            let own = try await reader.replica.read {
                try $0.conflicts.ofRow(
                    of: key.collection,
                    key.row,
                    in: TestDevice.space
                )
            }
            #expect(own.filter { $0.winner.key == key } == conflicts)
            let writes = try await reader.replica.read {
                try $0.history.entries(
                    of: key.collection,
                    key.row,
                    in: TestDevice.space
                )
            }
            let values = writes.filter { $0.change.key == key }.map(\.change.cell.value)
            #expect(values == (0..<5).map(given.value), "\(order)")
            #expect(try await reader.replica.read { try $0.maintenance.verify() }.faults == [])
        }
    }

    private static func permutations(of items: [Int]) -> [[Int]] {
        guard let first = items.first else { return [[]] }
        return permutations(of: Array(items.dropFirst())).flatMap { rest in
            (0...rest.count).map { Array(rest[..<$0]) + [first] + Array(rest[$0...]) }
        }
    }

    @Test(arguments: fields.filter { $0.field.role != .origin && $0.field.type != .chunk })
    func `an edit is undone and done again, here and across devices`(
        given: DeclaredField
    ) async throws {
        let devices = try await Self.devices(2)
        let (one, two) = (devices[0], devices[1])
        var log = LogDouble(keys: TestDevice.spaceKeys)
        let key = given.key(on: one)
        func value(_ device: TestDevice) async throws -> Value {
            try await device.replica.read {
                try $0.rows.cells(key.collection, key.row, in: TestDevice.space)
            }[
                key.field
            ]?
            .value ?? .null
        }
        for index in 0..<2 {
            try await one.replica.write { [now = one.moment(Time.start + Int64(index))] in
                try $0.actions.write(
                    [Edit(key, given.value(index))],
                    as: "edit \(index)",
                    in: TestDevice.space,
                    at: now
                )
            }
            try await one.settle(&log, at: Time.start + Int64(index))
        }
        let now = one.moment(Time.start + 10)
        #expect(
            try await one.replica.write { try $0.actions.undo(in: TestDevice.space, at: now) }?
                .overtaken == 0
        )
        #expect(try await value(one) == given.value(0))
        #expect(
            try await one.replica.write { try $0.actions.redo(in: TestDevice.space, at: now) }?
                .overtaken == 0
        )
        #expect(try await value(one) == given.value(1))
        for device in [one, two] { try await device.settle(&log, at: Time.start + 20) }
        let earlier = try await two.replica.read {
            try $0.history.earlierValue(of: key, in: TestDevice.space)
        }
        #expect(earlier == given.value(0))
        try await two.replica.write {
            try $0.rows.write([Edit(key, earlier)], in: TestDevice.space, at: now)
        }
        for device in [two, one] { try await device.settle(&log, at: Time.start + 30) }
        #expect(try await value(one) == given.value(0))
    }

    @Test(arguments: ownFields)
    func `what is deleted comes back, with what was edited meanwhile`(
        given: DeclaredField
    ) async throws {
        let devices = try await Self.devices(2)
        let (one, two) = (devices[0], devices[1])
        var log = LogDouble(keys: TestDevice.spaceKeys)
        let (key, space) = (given.key(on: one), TestDevice.space)
        try await given.write(0, on: one, at: Time.start)
        for device in [one, two] { try await device.settle(&log, at: Time.start + 1) }
        let deletion = Key(key.collection, key.row, FieldSchema.deleted.name)
        try await one.replica.write { [now = one.moment(Time.start + 2)] in
            try $0.rows.write(
                [Edit(deletion, .bool(true))],
                in: space,
                at: now
            )
        }
        try await given.write(1, on: two, at: Time.start + 3)
        for device in [one, two, one] { try await device.settle(&log, at: Time.start + 4) }
        for device in devices {
            let trash = try await device.replica.read { try $0.rows.trash(in: space) }
            #expect(trash.map(\.key.row) == [key.row])
            #expect(trash.first?.changesAfterDeletion.map(\.key) == [key])
            #expect(
                try await device.replica.read { try $0.rows.live(key.collection, in: space) }
                    .isEmpty
            )
        }
        try await two.replica.write { [now = two.moment(Time.start + 9)] in
            try $0.rows.write(
                [Edit(deletion, .null)],
                in: space,
                at: now
            )
        }
        for device in [two, one] { try await device.settle(&log, at: Time.start + 10) }
        #expect(try await one.replica.read { try $0.rows.trash(in: space) }.isEmpty)
        let rows = try await one.replica.read { try $0.rows.live(key.collection, in: space) }
        #expect(rows.map { $0.cells[key.field]?.value } == [given.value(1)])
    }

    @Test(arguments: fields, [Verdict.refused, .held])
    func `what a server declines is listed, and written again`(
        given: DeclaredField,
        verdict: Verdict
    ) async throws {
        let device = try await TestDevice.joined(1, collections: Self.collections)
        var log = LogDouble(keys: TestDevice.spaceKeys)
        try await device.settle(&log, at: Time.start)
        log.judge = { _ in (verdict, "role") }
        try await given.write(0, on: device, at: Time.start + 1)
        try await device.settle(&log, at: Time.start + 2)
        log.judge = { _ in (.accepted, "") }
        try await device.settle(&log, at: Time.start + 3)
        let concern = try #require(try await device.replica.read { try $0.rejected.all() }.first)
        let key = given.key(on: device)
        #expect(concern.changes?.map(\.key).contains(key) == true)
        let told = try await device.replica.read {
            try $0.history.entries(
                of: key.collection,
                key.row,
                in: TestDevice.space
            )
        }
        #expect(told.contains { $0.change.key == key && !$0.state.counts })
        let retried = try await device.replica.write { [now = device.moment(Time.start + 4)] in
            try $0.rejected.retry(concern, at: now)
        }
        #expect(retried.written > 0)
        try await device.settle(&log, at: Time.start + 5)
        #expect(log.cells()[key]?.value == given.value(0))
        #expect(try await device.replica.read { try $0.maintenance.verify() }.faults == [])
    }

    @Test(arguments: fields)
    func `salvage recovers the field`(given: DeclaredField) async throws {
        let device = try await TestDevice.joined(1, collections: Self.collections)
        var log = LogDouble(keys: TestDevice.spaceKeys)
        try await given.write(0, on: device, at: Time.start)
        try await device.settle(&log, at: Time.start + 1)
        try await given.write(1, on: device, at: Time.start + 2)
        try await device.replica.checkpoint()
        var random = SplitMix64(seed: 1)
        _ = try await Replica.salvage(
            from: device.folder.path + "/" + device.file,
            to: device.folder.path + "/saved",
            at: device.wall(Time.start + 3),
            using: &random
        )
        let saved = try device.opened("saved")
        #expect(try await saved.cells().mapValues(\.value) == device.cells().mapValues(\.value))
        let key = given.key(on: device)
        let told = try await saved.replica.read {
            try $0.history.entries(
                of: key.collection,
                key.row,
                in: TestDevice.space
            )
        }
        #expect(
            Set(told.filter { $0.change.key == key }.map(\.change.cell.value)) == [
                given.value(0), given.value(1),
            ]
        )
    }

    @Test(arguments: ownFields)
    func `a row is found by the beginning of its id`(given: DeclaredField) async throws {
        let device = try await TestDevice.joined(1, collections: Self.collections)
        try await given.write(0, on: device, at: Time.start)
        let id = try #require(given.key(on: device).row.id)
        func found(_ range: ClosedRange<Identifier>) async throws -> [RowName] {
            try await device.replica.read {
                try $0.rows.names(named: range, limit: 5, in: TestDevice.space)
            }
        }
        #expect(try await found(id...id).map(\.collection) == [given.schema.name])
        let next = Identifier(number: id.number + 1)
        #expect(try await found(next...next).isEmpty)
    }

    @Test func `no two collections have one name, and each field has examples`() {
        let all = Self.collections.all
        #expect(Set(all.map(\.name)).count == all.count)
        for schema in all {
            #expect(schema.title.map { schema.field($0) != nil } ?? true, "\(schema.name)")
            for field in schema.fields where field.type != .chunk {
                let examples = field.type.examples
                #expect(examples.allSatisfy(field.type.accepts), "\(schema.name) \(field.name)")
                #expect(Set(examples).count >= 2, "\(schema.name) \(field.name)")
                #expect(!field.type.accepts(.null), "\(schema.name) \(field.name)")
            }
        }
    }

    @Test(arguments: fields.filter { $0.field.type != .chunk && $0.isDeclared })
    func `a person cannot write what a field does not hold`(given: DeclaredField) async throws {
        let device = try await TestDevice.joined(1, collections: Self.collections)
        let wrong = Value.map(["": .float(0.5)])
        guard !given.field.type.accepts(wrong) else { return }
        let (edit, now) = (Edit(given.key(on: device), wrong), device.moment(Time.start))
        await #expect(throws: ReplicaError.self) {
            try await device.replica.write {
                try $0.actions.write(
                    [edit],
                    as: "a slip",
                    in: TestDevice.space,
                    at: now
                )
            }
        }
    }
}

extension CollectionSchema {
    /// A kind of data that exists in these tests only.
    fileprivate static let trinket = CollectionSchema(
        "trinket",
        noun: "trinket",
        plural: "trinkets",
        "something that nothing else here knows",
        title: "label",
        fields: [
            FieldSchema("label", .text(byteLimit: 20), "what it is called"),
            FieldSchema("worth", .whole(0...10), unit: "€", "what it is worth"),
            FieldSchema("owner", .row(of: "place"), "where it lies"),
            FieldSchema("bought", .day, "since when it is there"),
            FieldSchema("mood/", .bool, "how it looks", isFamily: true),
            FieldSchema("serial", .bytes, "its number", isEdited: false),
        ]
    )
}

/// One field of one collection.
struct DeclaredField: Sendable, CustomTestStringConvertible {
    let schema: CollectionSchema
    let field: FieldSchema
    /// Whether a registry has it.
    var isDeclared = true

    var testDescription: String { "\(schema.name) \(field.name)" }

    init(schema: CollectionSchema, field: FieldSchema) {
        (self.schema, self.field) = (schema, field)
    }

    /// A field of a collection that only a newer program knows.
    init(unknown name: Text) {
        let field = FieldSchema("power", .anyText, "")
        self.init(
            schema: CollectionSchema(name, noun: "", plural: "", "", fields: [field]),
            field: field
        )
        isDeclared = false
    }

    /// The field in a row that a device may write.
    func key(on device: TestDevice) -> Key {
        let row: Row =
            switch schema.rows {
            case .own, .continuing: .id(Identifier(number: 77))
            case .scopes: .user(TestDevice.user)
            // A device of the same user, which none of the tests plays.
            case .devices: .id(TestSpace.keys(of: 12).publicKeys.device)
            }
        guard field.isFamily else { return Key(schema.name, row, field.name) }
        let name = field.type == .chunk ? "0000000000000001/0" : field.name.string + "x"
        return Key(schema.name, row, Text(name))
    }

    /// One of at least two values.
    func value(_ index: Int) -> Value {
        guard field.type == .chunk else {
            let examples = field.type.examples
            return examples[index % examples.count]
        }
        let bytes = Chunk.pack(samples(index))
        return ChunkReference(to: bytes, ChunkSummary(of: samples(index))).value
    }

    private func samples(_ index: Int) -> [Sample] {
        [Sample(time: UnixTime(milliseconds: Time.start + Int64(index)))]
    }

    /// Writes a value, with the chunk that it names.
    func write(_ index: Int, on device: TestDevice, at now: Int64) async throws {
        if field.type == .chunk {
            try await device.replica.keep(samples(index), in: TestDevice.space)
        }
        let edit = Edit(key(on: device), value(index))
        try await device.replica.write { [now = device.moment(now)] in
            try $0.rows.write(
                [edit],
                in: TestDevice.space,
                at: now
            )
        }
    }
}

extension Replica {
    fileprivate func keep(_ samples: [Sample], in space: Identifier) throws {
        let bytes = Chunk.pack(samples)
        let place = RowAddress(
            space: try parts.spaces.number(ofSpace: space),
            id: Identifier(number: 77)
        )
        try write { parts in
            try parts.chunks.insert(
                bytes,
                ChunkReference(to: bytes, ChunkSummary(of: samples)),
                ends: Samples(samples).ends,
                for: place
            )
        }
    }
}
