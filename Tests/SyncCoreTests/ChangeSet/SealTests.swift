@testable import SyncCore
import Testing

@Suite struct SealTests {
    /// A later cell has a lower key, so that neither order passes for the other.
    private func cell(_ index: Int, _ value: Value, collection: Text = "track") -> Change {
        Change(
            key: Key(collection, .id(Identifier(number: UInt128(100_000 - index))), "field"),
            cell: Cell(
                stamp: Stamp(time: UInt64(index + 1), replica: Sealing.replica),
                value: value
            )
        )
    }

    private func check(_ changes: [Change], count: ClosedRange<Int>) throws {
        var random = SplitMix64(seed: 1)
        let batches = Seal.batches(of: changes.shuffled(using: &random)) {
            $0.key.collection == "original"
        }
        #expect(batches.flatMap { $0 } == changes, "in the order of stamps")
        #expect(count.contains(batches.count), "\(batches.count)")
        for batch in batches {
            let sealed = try Sealing.sealed(batch)
            let upload = try Upload(parsing: sealed.upload)
            let set = try ChangeSet(opening: upload, body: sealed.body, with: Sealing.spaceKeys)
            #expect(set.changes.count == batch.count)
            #expect(upload.header.chunks.count <= Limits.chunkReferenceLimit)
            let chunkBytes = upload.header.chunks.reduce(0) { $0 + $1.byteCount }
            #expect(chunkBytes <= Limits.chunkByteLimit)
        }
    }

    @Test func `a set holds 32,768 cells and no more`() throws {
        try check((0..<32_768).map { cell($0, .null) }, count: 1...1)
        try check((0..<32_769).map { cell($0, .null) }, count: 2...2)
    }

    /// What takes the most room in a body.
    enum Weight: CaseIterable {
        case values, texts, collections, textRows, idRows, fields, smallFields, times
    }

    private func change(_ index: Int, _ weight: Weight, _ random: inout SplitMix64) -> Change {
        func long(_ count: Int) -> Text {
            let beginning = String(100_000 + index)
            let padding = (beginning.count..<count).map { _ in
                String(UInt8.random(in: 36..<36 + 64, using: &random), radix: 36)
            }
            return Text(String((beginning + padding.joined()).prefix(count)))
        }
        func change(_ collection: Text, _ row: Row, _ field: Text, _ value: Value) -> Change {
            let time = weight == .times ? UInt64(index) << 56 : UInt64(index + 1)
            return Change(
                key: Key(collection, row, field),
                cell: Cell(stamp: Stamp(time: time, replica: Sealing.replica), value: value)
            )
        }
        let row = Row.id(.random(using: &random))
        let size = Int.random(in: 6...16_384, using: &random)
        return switch weight {
        case .values:
            change("c", row, "f", .bytes(Secret.random(count: 2 * size, using: &random).bytes))
        case .texts: change("c", row, "f", .text(long(16_384)))
        case .collections: change(long(size), row, "f", .null)
        case .textRows: change("c", .text(long(size)), "f", .null)
        case .idRows:
            change("c", row, "f", .bytes(Secret.random(count: 30, using: &random).bytes))
        case .fields: change("c", "r", long(size), .null)
        case .smallFields: change(long(6), row, long(7), .integer(.max - Int64(index)))
        case .times:
            change("c", row, "f", .bytes(Secret.random(count: 30_000, using: &random).bytes))
        }
    }

    @Test(arguments: Weight.allCases)
    func `a body stays below its limit, however badly it compresses`(weight: Weight) throws {
        var random = SplitMix64(seed: 2)
        let count =
            switch weight {
            case .idRows: 32_768
            case .smallFields: 30_000
            case .times: 100
            default: 250
            }
        let changes = (0..<count).map { change($0, weight, &random) }
        let batches = Seal.batches(of: changes) { _ in false }
        #expect(batches.count > 1)
        #expect(batches.flatMap { $0 } == changes)
        for batch in batches {
            let low = try #require(batch.first).cell.stamp.time
            let byteCount = Body.encode(batch, from: low).bytes.count
            #expect(byteCount <= Limits.decodedBodyByteLimit)
            #expect(byteCount > Limits.bodyByteLimit / 2 || batch == batches.last)
            let sealed = try Sealing.sealed(batch)
            #expect(sealed.body.count <= Limits.bodyByteLimit)
            let upload = try Upload(parsing: sealed.upload)
            _ = try ChangeSet(opening: upload, body: sealed.body, with: Sealing.spaceKeys)
        }
    }

    @Test func `the chunks of a set fit its header and a request`() throws {
        func reference(_ index: Int, byteCount: Int) -> Change {
            let value = Value.list([
                .bytes(Digest(of: UInt64(index).bigEndianBytes).bytes),
                .integer(Int64(byteCount)), .integer(Int64(Chunk.Kind.samples.rawValue)),
            ])
            return cell(index, value, collection: "points")
        }
        try check((0..<64).map { reference($0, byteCount: 10) }, count: 1...1)
        try check((0..<65).map { reference($0, byteCount: 10) }, count: 2...2)
        try check((0..<17).map { reference($0, byteCount: 256 << 10) }, count: 2...2)
    }

    @Test func `nothing is sealed without a key, or without changes`() throws {
        let none = SpaceKeys(space: Sealing.space, secrets: [:])
        #expect(throws: SealError.noSpaceKey(Sealing.space)) {
            try Sealing.seal([cell(0, .null)], space: none, device: Sealing.deviceKeys)
        }
        let noDevice = DeviceKeys(device: Sealing.device, secrets: [:])
        #expect(throws: SealError.noDeviceKey(Sealing.device)) {
            try Sealing.seal([cell(0, .null)], space: Sealing.spaceKeys, device: noDevice)
        }
        #expect(throws: SealError.nothing) { try Sealing.sealed([]) }
        #expect(Seal.batches(of: []) { _ in false }.isEmpty)
    }

    @Test func `a rename costs at most 448 bytes`() throws {
        var random = SplitMix64(seed: 3)
        var seal = Sealing.seal
        seal.sequence = 200
        seal.previous = Digest(of: [])
        seal.seen = Seen(
            position: LogPosition(epoch: .random(using: &random), position: 5000),
            chain: Digest(of: [1]),
            controls: 20
        )
        let change = Change(
            key: Key("track", .id(.random(using: &random)), "name"),
            cell: Cell(
                stamp: Stamp(time: 1_790_000_000_000 << 16, replica: Sealing.replica),
                value: .text("Round Pampus")
            )
        )
        let sealed = try seal([change], space: Sealing.spaceKeys, device: Sealing.deviceKeys)
        let head = SignedHead(
            name: try Upload(parsing: sealed.upload).name,
            device: Sealing.device,
            control: Digest(of: [2])
        )
        let item = PushItem(
            upload: sealed.upload,
            body: sealed.body,
            headSignature: head.sign(with: KeyPairs.random(using: &random).signing)
        ).encoded
        print(
            "a rename takes \(item.count) bytes: \(sealed.upload.count) of upload, \(sealed.body.count) of body"
        )
        #expect(item.count <= 448)
    }
}
