@testable import SyncCore
import Harness
import Testing

@Suite struct BodyTests {
    private let changes = [
        Sealing.change("name", .text("Sunday"), at: 100),
        Sealing.change("sport", .text("sailing"), at: 200),
    ]

    private var body: [UInt8] { Body.encode(changes, from: 100) }

    /// A body written by hand: groups of collection, row and encoded cells.
    private func body(_ groups: [(Text, Row, [(Text, delta: UInt64)])]) -> [UInt8] {
        var encoder = CBOREncoder()
        encoder.array(groups.count)
        for (collection, row, cells) in groups {
            encoder.array(3)
            encoder.text(collection)
            encoder.row(row)
            encoder.map(cells.count)
            for (field, delta) in cells {
                encoder.text(field)
                encoder.array(2)
                encoder.unsigned(delta)
                encoder.null()
            }
        }
        return encoder.bytes
    }

    @Test func `the number of cells must be the header's`() throws {
        #expect(try Sealing.open(body, cells: 2) == changes)
        #expect(throws: ChangeSetError.wrongCellCount(2)) { try Sealing.open(body, cells: 1) }
        #expect(throws: ChangeSetError.wrongCellCount(2)) { try Sealing.open(body, cells: 3) }
    }

    @Test func `a stamp outside the header's range is refused`() throws {
        #expect(try Sealing.open(body([("a", "r", [("f", 100)])]), cells: 1).count == 1)
        for delta: UInt64 in [101, 1 << 40, Stamp.limit - 1] {
            #expect(throws: ChangeSetError.self) {
                try Sealing.open(body([("a", "r", [("f", delta)])]), cells: 1)
            }
        }
    }

    @Test func `groups and fields ascend strictly`() throws {
        let id = Row.id(Identifier(number: 1))
        let right = body([
            ("b", id, [("f", 0)]), ("b", "a", [("f", 0)]), ("b", "b", [("f", 0)]),
            ("aa", id, [("f", 0), ("g", 0), ("aa", 0)]),
        ])
        #expect(try Sealing.open(right, cells: 6).count == 6)
        for wrong in [
            body([("b", "b", [("f", 0)]), ("b", "a", [("f", 0)])]),
            body([("b", "a", [("f", 0)]), ("b", "a", [("g", 0)])]),
            body([("aa", "a", [("f", 0)]), ("b", "a", [("f", 0)])]),
            body([("b", "a", [("f", 0)]), ("b", id, [("f", 0)])]),
            body([("b", "a", [("g", 0), ("f", 0)])]), body([("b", "a", [("f", 0), ("f", 0)])]),
            body([("b", "a", [("aa", 0), ("f", 0)])]), body([("b", "a", [])]), body([]),
        ] {
            #expect(throws: ChangeSetError.self, "\(wrong.hexadecimal)") {
                try Sealing.open(wrong, cells: 2)
            }
        }
    }

    @Test func `a row is sixteen bytes or a text`() throws {
        for row in ["01", "f6", "4101", "80"] {
            let wrong = try #require([UInt8](hexadecimal: "81836161" + row + "a161668200f6"))
            #expect(throws: ChangeSetError.self) { try Sealing.open(wrong, cells: 1) }
        }
        let right = try #require([UInt8](hexadecimal: "818361616172a161668200f6"))
        #expect(try Sealing.open(right, cells: 1).first?.key == Key("a", "r", "f"))
    }

    @Test func `names hold up to 16 KiB`() throws {
        func name(_ count: Int) -> Text { Text(String(repeating: "n", count: count)) }
        func parts(_ text: Text) -> [[UInt8]] {
            [
                body([(text, "r", [("f", 0)])]), body([("c", .text(text), [("f", 0)])]),
                body([("c", "r", [(text, 0)])]),
            ]
        }
        for body in parts(name(16_384)) {
            #expect(try Sealing.open(body, cells: 1).count == 1)
        }
        for (index, body) in parts(name(16_385)).enumerated() {
            #expect(throws: ChangeSetError.self, "part \(index)") {
                _ = try Sealing.open(body, cells: 1)
            }
        }
    }

    @Test func `the chunks are those that the cells refer to, in order, each once`() throws {
        func reference(_ byte: UInt8) -> ChunkReference {
            ChunkReference(
                to: [byte],
                ChunkSummary(of: [Sample(time: UnixTime(milliseconds: 1))])
            )
        }
        func change(_ field: Text, _ byte: UInt8) -> Change {
            Change(
                key: Key("points", .id(Identifier(number: 1)), field),
                cell: Cell(
                    stamp: Stamp(time: 100, replica: Sealing.replica),
                    value: reference(byte).value
                )
            )
        }
        let changes = [change("a", 2), change("b", 1), change("c", 2)]
        let names = Body.chunks(of: changes)
        #expect(names.map(\.hash) == [Digest(of: [2]), Digest(of: [1])])
        let sealed = try Sealing.sealed(changes)
        let upload = try Upload(parsing: sealed.upload)
        #expect(upload.header.chunks == names)

        let plain = Body.encode(changes, from: 100)
        var header = Sealing.header(of: plain, cells: 3)
        for chunks in [[], Array(names.reversed()), [names[0]], names + [names[0]]] {
            header.chunks = chunks
            let upload = try Upload(parsing: Sealing.upload(header: header.encoded))
            #expect(throws: ChangeSetError.wrongChunks) {
                try ChangeSet(opening: upload, body: plain, with: Sealing.spaceKeys)
            }
        }
    }

    @Test func `A12 what decompresses to more than the header says is refused`() throws {
        let long = Body.encode(
            [Sealing.change("notes", .text(Text(String(repeating: "n", count: 16_000))))],
            from: 100
        )
        let frame = Zstandard.compress(long)
        for decoded in [0, long.count - 1, long.count + 1] {
            var header = Sealing.header(of: frame, cells: 1)
            header.encoding = .zstandard
            header.decodedByteCount = decoded
            let upload = try Upload(parsing: Sealing.upload(header: header.encoded))
            #expect(throws: ChangeSetError.wrongBody) {
                try ChangeSet(opening: upload, body: frame, with: Sealing.spaceKeys)
            }
        }
    }

    @Test(arguments: Rounds.seeds(10))
    func `a mutated body that is read is written as the same bytes`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let header = Sealing.header(of: body, cells: 2)
        for _ in 0..<300 {
            let mutant = Mutation.mutant(of: body, using: &random)
            guard let changes = try? Body.decode(mutant, for: header) else { continue }
            #expect(Body.encode(changes, from: 100) == mutant)
        }
    }
}

extension Row: ExpressibleByStringLiteral {
    init(stringLiteral value: String) {
        self = .text(Text(value))
    }
}
