import Harness
import Testing

@testable import SyncCore

@Suite struct ChunkReferenceTests {
    private static func reference(_ samples: [Sample], by rule: FixRule = .usual) -> ChunkReference
    {
        ChunkReference(to: Chunk.pack(samples), ChunkSummary(of: samples, by: rule))
    }

    @Test(arguments: Rounds.seeds(30)) func `a reference comes back`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let samples = RandomSamples.any(count: .random(in: 1...300, using: &random), using: &random)
        let rule = [FixRule.usual, .off, FixRule(sport: "running")].randomElement(using: &random)!
        let reference = Self.reference(samples, by: rule)
        let decoded = try #require(ChunkReference(reference.value))
        #expect(decoded.value == reference.value)
        #expect(decoded.summary?.bounds == reference.summary?.bounds)
        #expect(decoded.summary.map { $0.isNear(ChunkSummary(of: samples, by: rule)) } == true)
    }

    @Test func `a track across the antimeridian keeps its ends`() throws {
        let samples = (0..<100).map { index in
            var sample = Sample(time: UnixTime(milliseconds: Int64(1000 * index)))
            sample[count: .latitude] = -170_000_000
            let east = Int64(1_799_999_000 + 30 * index)
            sample[count: .longitude] = Coordinate.wrapped(east)
            return sample
        }
        let reference = Self.reference(samples)
        let decoded = try #require(ChunkReference(reference.value))
        #expect(decoded == reference)
        #expect(decoded.summary?.filtered?.ends?.last.place == samples[99].coordinate)
        #expect(reference.value.encoded.count < 110)
    }

    private static let sound = reference(RecordingTests.samples(count: 50)).value

    /// Returns the reference with one value of its summary replaced.
    private static func changed(_ path: [Int], to value: Value) -> Value {
        func replaced(_ old: Value, _ path: ArraySlice<Int>) -> Value {
            guard let index = path.first, var list = old.list else { return value }
            list[index] = replaced(list[index], path.dropFirst())
            return .list(list)
        }
        return replaced(sound, path[...])
    }

    @Test(
        arguments: [
            ([3, 0], Value.integer(0)), ([3, 0], .integer(4097)), ([3, 1], .integer(51)),
            ([3, 1], .integer(-1)), ([3, 2], .integer(1)), ([3, 2, 1], .integer(-1)),
            ([3, 2, 1], .integer(.max)), ([3, 3, 0], .integer(900_000_001)),
            ([3, 3, 2], .integer(-1)), ([3, 3, 3], .integer(.max)), ([3, 3], .list([])),
            ([3, 4, 2], .integer(51)), ([3], .null), ([3], .list([])),
        ]
    )
    func `a summary that cannot be is none`(path: [Int], value: Value) {
        let reference = ChunkReference(Self.changed(path, to: value))
        #expect(reference != nil && reference?.summary == nil)
    }

    @Test(
        arguments: [
            ([3, 4, 0], Value.integer(2)), ([3, 4, 1], .integer(0)), ([3, 4, 2], .integer(-1)),
            ([3, 4, 3], .integer(-1)), ([3, 4, 4], .integer(-1)), ([3, 4, 5], .integer(1)),
            ([3, 4, 6], .null), ([3, 4, 7], .list([])), ([3, 4, 6, 1], .integer(.max)),
            ([3, 4, 6, 2], .integer(-1)), ([3, 4, 7, 3], .null), ([3, 4], .null),
        ]
    )
    func `what another filter found is not believed`(path: [Int], value: Value) {
        let reference = ChunkReference(Self.changed(path, to: value))
        #expect(reference?.summary?.bounds == ChunkReference(Self.sound)?.summary?.bounds)
        #expect(reference?.summary?.filtered == nil)
    }

    @Test(
        arguments: [
            ([0], Value.bytes([1])), ([1], .integer(0)), ([1], .integer(262_145)),
            ([2], .integer(0)), ([2], .integer(16)), ([2], .null), ([], .list([])),
        ]
    )
    func `another value is no reference`(path: [Int], value: Value) {
        #expect(ChunkReference(Self.changed(path, to: value)) == nil)
        #expect(ChunkReference(encoded: Self.changed(path, to: value).encoded) == nil)
    }

    @Test func `a newer program's reference names its chunk`() {
        let newer = Self.changed([2], to: .integer(9))
        #expect(ChunkReference(newer)?.kind.rawValue == 9)
        #expect(ChunkReference(encoded: newer.encoded)?.summary == nil)
    }
}
