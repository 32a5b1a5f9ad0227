@testable import SyncCore
import Harness
import Testing

@Suite struct BodyTests {
    private let changes = [
        Sealing.change("name", .text("Sunday"), at: 100),
        Sealing.change("sport", .text("sailing"), at: 200),
    ]

    private var body: [UInt8] { Body.encode(changes, from: 100).bytes }

    /// Changes of few rows, fields and times, so that ties are common; their keys are distinct.
    private func randomChanges(using random: inout SplitMix64) -> [Change] {
        let fieldCount = [1, 3, 300].randomElement(using: &random) ?? 1
        let rowCount = [1, 5, 40, 400].randomElement(using: &random) ?? 1
        let lastTime = [100, 103, 1000, 1 << 62].randomElement(using: &random) ?? 100
        var changes: [Key: Change] = [:]
        for _ in 0..<Int.random(in: 1...600, using: &random) {
            let number = Int.random(in: 0..<rowCount, using: &random)
            let row: Row =
                number % 3 > 0
                ? .id(Identifier(number: UInt128(number) << 60)) : .text(Text("\(number)"))
            let key = Key(
                ["track", "é", "e\u{301}", ""].randomElement(using: &random) ?? "",
                row,
                Text("f\(Int.random(in: 0..<fieldCount, using: &random))")
            )
            let time = UInt64.random(in: 100...UInt64(lastTime), using: &random)
            let value = RandomValues.any(depth: 2, using: &random)
            changes[key] = Change(
                key: key,
                cell: Cell(stamp: Stamp(time: time, replica: Sealing.replica), value: value)
            )
        }
        return changes.values.shuffled(using: &random)
    }

    @Test(arguments: Rounds.seeds(60))
    func `random changes come back as they were, and have one body`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let changes = randomChanges(using: &random)
        let bytes = Body.encode(changes, from: 100).bytes
        var header = Sealing.header(of: bytes, cells: changes.count)
        header.stamps = 100...(1 << 62)
        let cells = try Body.decode(bytes, for: header)
        #expect(cells.changes == changes.sorted { $0.key < $1.key })
        #expect(Body.encode(cells.changes, from: 100).bytes == bytes)
        #expect(Set(cells.rows).count == cells.rows.count && cells.rows == cells.rows.sorted())
        #expect(cells.fields == cells.fields.sorted())
    }

    @Test func `a body holds 32,768 cells and no more`() async throws {
        let changes = (0..<Limits.cellLimit).map { index -> Change in
            let row = Row.id(Identifier(number: UInt128(index / 2)))
            let stamp = Stamp(time: 100 + UInt64(index % 7), replica: Sealing.replica)
            return Change(
                key: Key("track", row, index % 2 == 0 ? "a" : "b"),
                cell: Cell(stamp: stamp, value: .integer(Int64(index)))
            )
        }
        let bytes = Body.encode(changes, from: 100).bytes
        let header = Sealing.header(of: bytes, cells: changes.count)
        #expect(try Body.decode(bytes, for: header).changes == changes)
        await #expect(processExitsWith: .failure) {
            let one = Sealing.change("f", .null)
            _ = Body.encode([Change](repeating: one, count: Limits.cellLimit + 1), from: 100)
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

        let plain = Body.encode(changes, from: 100).bytes
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
        ).bytes
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

    @Test(arguments: Rounds.seeds(20))
    func `a mutated body that is read is written as the same bytes`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        for original in [body, HandmadeBody().bytes] {
            for _ in 0..<300 {
                let mutant = Mutation.mutant(of: original, using: &random)
                // A mutant may have another number of cells.
                for count in 1...4 {
                    let header = Sealing.header(of: mutant, cells: count)
                    guard let cells = try? Body.decode(mutant, for: header) else { continue }
                    #expect(Body.encode(cells.changes, from: 100).bytes == mutant)
                }
            }
        }
    }
}

extension Row: ExpressibleByStringLiteral {
    init(stringLiteral value: String) {
        self = .text(Text(value))
    }
}
