import Testing

@testable import SyncCore

/// Each rule of the layout (``Body``), kept and broken.
@Suite struct BodyRulesTests {
    private let right = HandmadeBody()

    /// Refuses the body of the suite after a change that breaks a rule.
    private func check(
        _ error: ChangeSetError,
        cells: Int? = nil,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ broken: (inout HandmadeBody) -> Void
    ) {
        var body = right
        broken(&body)
        #expect(body.refusal(cells: cells) == error, sourceLocation: sourceLocation)
    }

    @Test func `a body by hand is read, and written as the same bytes`() throws {
        func change(_ row: Row, _ field: Text, _ time: UInt64, _ value: Value) -> Change {
            Change(
                key: Key("a", row, field),
                cell: Cell(stamp: Stamp(time: time, replica: Sealing.replica), value: value)
            )
        }
        let changes = [
            change(.id(Identifier(number: 1)), "f", 100, .null),
            change(.id(Identifier(number: 2)), "g", 100, .integer(1)),
            change("r", "f", 103, .bool(true)),
        ]
        #expect(try right.decoded() == changes)
        #expect(Body.encode(changes.reversed(), from: 100).bytes == right.bytes)
    }

    @Test func `cells of one time are in the order of row and field`() {
        check(.notAscending) { $0.rowOf = [1, 0, 2] }
        var body = HandmadeBody.cells(2)
        body.fields = ["f", "g"]
        body.rows = [.init(collection: "a", planes: HandmadeBody.planes([7]))]
        body.values = [[[0xf6]], [[0xf6]]]
        body.fieldOf = [0, 1]
        #expect(body.refusal() == nil)
        body.fieldOf = [1, 0]
        #expect(body.refusal() == .notAscending)
        body.times = [0, 1]
        #expect(body.refusal() == nil, "a later cell may have a lesser field")
    }

    @Test func `a cell stands in a body once`() {
        var body = HandmadeBody.cells(2)
        body.rows = [.init(collection: "a", planes: HandmadeBody.planes([7]))]
        #expect(body.refusal() == .notAscending, "at one time it breaks the order")
        body.times = [0, 1]
        #expect(body.refusal() == .repeatedCell)
    }

    @Test func `the rows of a group ascend, ids before texts`() {
        check(.notAscending) { $0.rows[0].planes = HandmadeBody.planes([2, 1]) }
        check(.notAscending) { $0.rows[0].planes = HandmadeBody.planes([2, 2]) }
        check(.unexpected) { $0.rows[0].planes.removeLast() }
        check(.unexpected) { $0.rows[0].planes.append(0) }
        func texts(_ texts: [Text]) -> HandmadeBody {
            var body = HandmadeBody.cells(texts.count)
            body.rows = [.init(collection: "a", planes: [], texts: texts)]
            body.rowOf = texts.indices.map { UInt8($0) }
            return body
        }
        #expect(texts(["", "b", "aa"]).refusal() == nil, "in the order of the encoding")
        #expect(texts(["aa", "b"]).refusal() == .notAscending)
        #expect(texts(["b", "b"]).refusal() == .notAscending)
    }

    @Test func `collections ascend, and each has rows`() {
        func collections(_ names: [Text]) -> HandmadeBody {
            var body = HandmadeBody.cells(names.count)
            body.rows = names.map { .init(collection: $0, planes: HandmadeBody.planes([1])) }
            body.rowOf = names.indices.map { UInt8($0) }
            return body
        }
        #expect(collections(["", "b", "aa"]).refusal() == nil)
        #expect(collections(["aa", "b"]).refusal() == .notAscending)
        #expect(collections(["b", "b"]).refusal() == .notAscending)
        check(.unexpected) { $0.rows.append(.init(collection: "b", planes: [])) }
        check(.unexpected) { $0.rows = [] }
    }

    @Test func `fields ascend, and there is one`() {
        check(.notAscending) { $0.fields = ["g", "f"] }
        check(.notAscending) { $0.fields = ["f", "f"] }
        check(.notAscending) { $0.fields = ["aa", "b"] }
        check(.unexpected) { $0.fields = [] }
    }

    @Test func `each row and each field has a cell`() {
        check(.unexpected) { $0.rowOf = [0, 1, 1] }
        check(.unexpected) { $0.fieldOf = [0, 0, 0] }
    }

    @Test func `no more rows or fields are named than there are cells`() {
        check(.unexpected) { $0.rows[0].planes = HandmadeBody.planes([1, 2, 3, 4]) }
        check(.unexpected) { $0.rows[0].texts = ["r", "s"] }
        check(.unexpected) { $0.rows[0].texts = ["a", "b", "c", "d"] }
        check(.unexpected) { $0.fields = ["f", "g", "h", "i"] }
    }

    @Test func `an index names a row or field that there is`() {
        check(.tooLarge) { $0.rowOf = [0, 1, 3] }
        check(.tooLarge) { $0.fieldOf = [0, 2, 0] }
    }

    @Test func `a column of indices has a place for each cell`() {
        check(.unexpected) { $0.rowOf = [0, 1] }
        check(.unexpected) { $0.rowOf = [0, 1, 2, 2] }
        check(.unexpected) { $0.fieldOf = [0, 1] }
        check(.unexpected) { $0.fieldOf = [] }
    }

    @Test(arguments: [(1, 0), (2, 1), (255, 1), (256, 1), (257, 2), (32_768, 2)])
    func `an index takes as many bytes as the greatest needs`(count: Int, width: Int) {
        func body(width: Int) -> HandmadeBody {
            var body = HandmadeBody.cells(count)
            body.rowOf = (0..<width).reversed().flatMap { plane in
                (0..<count).map { UInt8(truncatingIfNeeded: $0 >> (8 * plane)) }
            }
            return body
        }
        #expect(body(width: width).refusal() == nil)
        #expect(body(width: width + 1).refusal() == .unexpected, "a plane of zeros")
        if width > 0 { #expect(body(width: width - 1).refusal() == .unexpected) }
    }

    @Test func `fields beyond 256 are named in two bytes`() throws {
        let changes = (0..<300).map { Sealing.change(Text("f\(1000 + $0)"), .null) }
        let bytes = Body.encode(changes, from: 100).bytes
        let header = Sealing.header(of: bytes, cells: 300)
        #expect(try Body.decode(bytes, for: header).changes == changes)
        let index = [0x59, 0x02, 0x58] + [UInt8](repeating: 0, count: 256)
        #expect(bytes.contains(index), "the upper plane of 300 indices comes first")
    }

    @Test func `a time is a varint in its shortest form, of 64 bits`() {
        check(.notShortest) { $0.times = [0, 0, 0x83, 0] }
        check(.truncated) { $0.times = [0, 0, 0x83] }
        let most = [UInt8](repeating: 0xff, count: 9)
        check(.tooLarge) { $0.times = [0, 0] + most + [2] }
        check(.tooLarge) { $0.times = [0, 0] + most + [0x81, 0] }
        check(.notShortest) { $0.times = [0, 0] + most + [0] }
    }

    @Test func `a time lies in the header's range`() {
        check(.tooLarge) { $0.times = [0, 0, 101] }
        check(.tooLarge) { $0.times = [0, 99, 2] }
        let most = [UInt8](repeating: 0xff, count: 9)
        check(.tooLarge) { $0.times = [0, 0] + most + [1] }
        var body = right
        body.times = [0, 0, 100]
        #expect(body.refusal() == nil, "the greatest")
    }

    @Test func `the number of cells is the header's`() {
        #expect(right.refusal(cells: 3) == nil)
        #expect(right.refusal(cells: 4) == .wrongCellCount(3))
        check(.wrongCellCount(4), cells: 3) { $0.times = [0, 0, 3, 0, 0, 0] }
        check(.wrongCellCount(2)) { $0.times = [0, 0] }
        check(.unexpected, cells: 0) { _ in }
    }

    @Test func `each field lists the values of its cells`() {
        check(.unexpected, cells: 3) { $0.values[0].removeLast() }
        check(.unexpected, cells: 3) { $0.values[1].append([0xf6]) }
        check(.unexpected) { $0.values = [[[0xf6]], [[0xf5], [0x01]]] }
        check(.unexpected) { $0.values = [[[0xf6], [0xf5], [0x01]]] }
        check(.unexpected, cells: 3) { $0.values.append([]) }
    }

    @Test func `a body is an array of six, and nothing after it`() {
        func refusal(of bytes: [UInt8]) -> (any Error)? {
            do {
                _ = try Body.decode(bytes, for: Sealing.header(of: bytes, cells: 3))
                return nil
            } catch {
                return error
            }
        }
        let bytes = right.bytes
        #expect(refusal(of: bytes) == nil)
        var wrong: [[UInt8]] = [bytes + [0], bytes.dropLast(), [], [0x80], [0xf6], [0xa0]]
        wrong += [[0x85] + bytes.dropFirst(), [0x87] + bytes.dropFirst() + [0x80]]
        for wrong in wrong {
            #expect(refusal(of: wrong) != nil, "\(wrong.hexadecimal)")
        }
    }

    @Test func `a value nests up to thirteen levels`() {
        func body(levels: Int) -> HandmadeBody {
            var body = right
            let lists = [UInt8](repeating: 0x81, count: levels - 1) + [0x80]
            body.values[1] = [lists]
            return body
        }
        #expect(body(levels: 13).refusal() == nil)
        #expect(body(levels: 14).refusal() == .encoding(.tooDeep(offset: 0)))
    }

    @Test func `names hold up to 16 KiB`() {
        func bodies(_ count: Int) -> [HandmadeBody] {
            let name = Text(String(repeating: "n", count: count))
            var (collection, row, field) = (right, right, right)
            collection.rows[0].collection = name
            row.rows[0].texts = [name]
            field.fields[1] = name
            return [collection, row, field]
        }
        for body in bodies(16_384) { #expect(body.refusal() == nil) }
        for body in bodies(16_385) { #expect(body.refusal() == .tooLarge) }
    }
}

extension Array where Element == UInt8 {
    fileprivate func contains(_ part: [UInt8]) -> Bool {
        indices.contains { self[$0...].starts(with: part) }
    }
}
