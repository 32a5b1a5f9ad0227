@testable import SyncCore
import Harness
import Testing

@Suite struct CellRecordTests {
    /// Numbers as a database would assign them.
    private final class Names {
        var fields: [Text] = []
        var replicas: [Identifier] = []

        func packed(_ record: CellRecord) throws -> [UInt8] {
            try record.encoded(
                replica: { Self.number(of: $0, in: &self.replicas) },
                field: { Self.number(of: $0, in: &self.fields) }
            )
        }

        func record(_ bytes: [UInt8]) throws -> CellRecord {
            try CellRecord(
                decoding: bytes,
                replica: { try Self.name($0, in: self.replicas) },
                field: { try Self.name($0, in: self.fields) }
            )
        }

        private static func number<Name: Equatable>(of name: Name, in names: inout [Name]) -> Int64
        {
            if let index = names.firstIndex(of: name) { return Int64(index + 1) }
            names.append(name)
            return Int64(names.count)
        }

        private static func name<Name>(_ number: Int64, in names: [Name]) throws -> Name {
            guard number >= 1, number <= Int64(names.count) else {
                throw ReplicaError.damagedRecord
            }
            return names[Int(number) - 1]
        }
    }

    /// Few fields, times and replicas, so that ties are common.
    private static func cell(
        using random: inout SplitMix64
    ) -> (field: Text, cell: Cell) {
        let fields: [Text] = [
            "name", "sport", "tag/fast", "a/0", Text(String(repeating: "n", count: 70)),
        ]
        let times: [UInt64] = [
            1, 5, 1 << 40, 1 << 40 | 1, 7 << 50, 7 << 50 | 0xffff, (1 << 63) - 1,
        ]
        let values: [Value] = [
            .null, .text("x"), .integer(-70_000), .float(0.1), .bytes([0, 255]),
            .list([.map(["a": .list([]), "b": .bool(true)]), .text("é")]),
        ]
        return (
            fields.randomElement(using: &random) ?? "name",
            Cell(
                stamp: Stamp(
                    time: times.randomElement(using: &random) ?? 1,
                    replica: Identifier(number: UInt128.random(in: 1...3, using: &random))
                ),
                value: values.randomElement(using: &random) ?? .null
            )
        )
    }

    /// Up to eight draws, so up to five fields.
    private static func batch(using random: inout SplitMix64) -> [Text: Cell] {
        (0..<Int.random(in: 0...8, using: &random)).reduce(into: [:]) { cells, _ in
            let drawn = Self.cell(using: &random)
            cells[drawn.field] = drawn.cell
        }
    }

    private static func ascending(_ cells: [Text: Cell]) -> [(field: Text, cell: CellRecord.View)] {
        cells.sorted { $0.key < $1.key }
            .map { ($0.key, CellRecord.View(stamp: $0.value.stamp, value: $0.value.encoded[...])) }
    }

    @Test(arguments: Rounds.seeds(20))
    func `merging on bytes is merging cells, before and after packing`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let names = Names()
        var (record, cells): (CellRecord, [Text: Cell]) = (CellRecord(), [:])
        for step in 0..<100 {
            let batch = Self.batch(using: &random)
            record.merge(ascending: Self.ascending(batch))
            cells.merge(batch) { max($0, $1) }
            let (field, cell) = Self.cell(using: &random)
            record[field] = cell
            cells[field] = cell
            if step % 3 == 0 { record = try names.record(try names.packed(record)) }
            #expect(record.cells == cells)
        }
        #expect(try names.record(try names.packed(CellRecord(cells))).cells == cells)
    }

    @Test(arguments: Rounds.seeds(10))
    func `removing keeps what is greater, field by field`(seed: UInt64) throws {
        let names = Names()
        var random = SplitMix64(seed: seed)
        for _ in 0..<200 {
            let (present, merged) = (Self.batch(using: &random), Self.batch(using: &random))
            var record = try names.record(try names.packed(CellRecord(present)))
            record.remove(upTo: Self.ascending(merged))
            #expect(
                try names.record(try names.packed(record)).cells
                    == present.filter { field, cell in
                        merged[field].map { cell > $0 } ?? true
                    }
            )
        }
    }

    @Test(arguments: Rounds.seeds(10))
    func `only a greater cell stays above a merged one`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for _ in 0..<200 {
            let (first, second) = (Self.cell(using: &random).cell, Self.cell(using: &random).cell)
            var record = CellRecord(["name": first])
            record.remove(upTo: Self.ascending(["name": second]))
            #expect(record["name"] == (first > second ? first : nil))
        }
    }

    @Test(arguments: Rounds.seeds(10))
    func `a comparison tells every difference once`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        func cells() -> [Text: Cell] {
            (0..<4).reduce(into: [:]) { cells, _ in
                let (field, cell) = Self.cell(using: &random)
                cells[field] = cell
            }
        }
        for _ in 0..<50 {
            let (before, after) = (cells(), cells())
            var rebuilt = before
            CellRecord(after).compare(with: CellRecord(before)) { field, _, present in
                #expect(before[field] != after[field])
                rebuilt[field] = present.map {
                    Cell(stamp: $0.stamp, encoded: Array($0.value))
                }
            }
            #expect(rebuilt == after)
        }
    }

    @Test func `a usual row takes its values, three bytes each and twelve`() throws {
        let replica = Identifier(number: 1)
        let cells = ["name", "notes", "sport", "gear"].enumerated().map { index, field in
            let stamp = Stamp(time: 1_700_000_000_000 << 16 + UInt64(index), replica: replica)
            return (Text(field), Cell(stamp: stamp, value: .integer(1)))
        }
        let record = CellRecord(Dictionary(uniqueKeysWithValues: cells))
        #expect(try Names().packed(record).count == 12 + 4 * (1 + 3))
    }

    @Test func `a record with an older cell is packed anew`() throws {
        let (names, replica) = (Names(), Identifier(number: 1))
        func cell(_ time: UInt64) -> Cell {
            Cell(stamp: Stamp(time: time << 16, replica: replica), value: .integer(7))
        }
        let cells: [Text: Cell] = ["name": cell(1000), "sport": cell(2000), "notes": cell(3000)]
        var record = try names.record(try names.packed(CellRecord(cells)))
        record["gear"] = cell(10)
        let packed = try names.record(try names.packed(record))
        #expect(packed.cells == cells.merging(["gear": cell(10)]) { first, _ in first })
    }

    @Test func `a time in another form is refused`() throws {
        let (names, replica) = (Names(), Identifier(number: 1))
        let cell = Cell(stamp: Stamp(time: 1, replica: replica), value: .integer(7))
        let packed = try names.packed(CellRecord(["name": cell]))
        // The last of these is the difference from the least time, in units of 65,536.
        #expect(Array(packed[..<4]) == [2, 2, 1, 0])
        func record(_ difference: UInt8) throws -> CellRecord {
            var bytes = Array(packed.dropLast(4))
            bytes[3] = difference
            bytes.appendSum()
            return try names.record(bytes)
        }
        #expect(try record(0).cells == ["name": cell])
        // The same in units of 1.
        #expect(throws: ReplicaError.damagedRecord) { try record(1) }
    }

    @Test(arguments: Rounds.seeds(20))
    func `damaged bytes are read or refused, and never trap`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let names = Names()
        let cells = (0..<5).map { _ in Self.cell(using: &random) }
        let packed = try names.packed(
            CellRecord(Dictionary(cells.map { ($0.field, $0.cell) }, uniquingKeysWith: max))
        )
        for _ in 0..<500 {
            let mutant = Mutation.mutant(of: packed, using: &random)
            guard let record = try? names.record(mutant) else { continue }
            _ = record.cells
            _ = try names.packed(record)
        }
        let whole = try names.record(packed).cells
        for bit in 0..<8 * packed.count {
            var flipped = packed
            flipped[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect((try? names.record(flipped))?.cells != whole, "bit \(bit)")
        }
    }
}

@Suite struct SetNumbersTests {
    @Test(arguments: Rounds.seeds(10))
    func `numbers are kept ascending, each once`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var (sets, expected): (SetNumbers, Set<Int64>) = (SetNumbers(), [])
        for _ in 0..<100 {
            let numbers = (0..<Int.random(in: 0...3, using: &random)).map { _ in
                Int64.random(in: 1...200, using: &random)
            }
            sets.insert(numbers)
            expected.formUnion(numbers)
            if Int.random(in: 0..<4, using: &random) == 0,
                let gone = expected.randomElement(using: &random)
            {
                sets.remove(gone)
                expected.remove(gone)
            }
            #expect(sets.all == expected.sorted())
            #expect(sets.count == expected.count)
            #expect(SetNumbers(packed: sets.packed).all == sets.all)
        }
    }

    @Test func `damaged bytes give the numbers before the damage`() {
        let greatest = [UInt8](repeating: 0xff, count: 9) + [0x01]
        for (bytes, numbers) in [
            ([], []), ([5, 0x80], [5]), ([5, 0x80, 0x80], [5]), ([3] + greatest, [3]),
        ] as [([UInt8], [Int64])] {
            var sets = SetNumbers(packed: bytes)
            #expect(sets.all == numbers)
            sets.insert([900])
            #expect(sets.all == numbers + [900])
        }
    }
}
