@testable import SyncCore
import Harness
import Testing

@Suite struct ChunkTests {
    @Test(arguments: Rounds.seeds(50))
    func `any samples come back as they were`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let count = Int.random(in: 1...(seed % 10 == 0 ? 4096 : 40), using: &random)
        let samples = RandomSamples.any(count: count, using: &random)
        #expect(try Chunk.unpack(Chunk.pack(samples)) == Samples(samples))
    }

    @Test(arguments: Rounds.seeds(10))
    func `damaged bytes are refused, or are the chunk of what they mean`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let samples = RandomSamples.any(
            count: Int.random(in: 1...20, using: &random),
            using: &random
        )
        let plain = [0x40] + Chunk.content(of: Samples(samples)).bytes
        for _ in 0..<200 {
            var damaged = plain
            let index = Int.random(in: 1..<damaged.count, using: &random)
            damaged[index] = UInt8.random(in: 0...255, using: &random)
            guard let unpacked = try? Chunk.unpack(damaged) else { continue }
            #expect([0x40] + Chunk.content(of: unpacked).bytes == damaged)
        }
        for end in 0..<plain.count {
            #expect(throws: ChunkError.self) { try Chunk.unpack(Array(plain[..<end])) }
        }
    }

    @Test func `samples take room for the readings that they have`() throws {
        // One reading in each of many columns, as a hostile chunk packs them in little.
        let samples = (0..<1000).map { index in
            Sample(ascending: [
                Sample.Reading(channel: Channel(number: UInt16(index + 100)), count: 1)
            ])
        }
        let unpacked = try Chunk.unpack(Chunk.pack(samples))
        #expect(Array(unpacked) == samples)
        #expect(unpacked.columns.reduce(0) { $0 + $1.counts.capacity } < 10_000)
    }

    @Test(arguments: Rounds.seeds(20)) func `noise is refused`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for first in UInt8(0x40)...0x42 {
            let noise = (0..<200).map { _ in UInt8.random(in: 0...255, using: &random) }
            #expect(throws: ChunkError.self) { try Chunk.unpack([first] + noise) }
        }
    }

    @Test(arguments: [
        ("", ChunkError.unknownEncoding(nil)),
        ("50", .otherKind(.file)), ("03", .unknownEncoding(3)), ("42", .unknownEncoding(0x42)),
        ("40", .truncated(offset: 0)),
        ("400000", .noContent),
        ("40810000", .notCanonical(offset: 2)),
        ("40812000", .tooMany(offset: 0)),
        ("400101", .tooMany(offset: 1)),
        ("40010000", .trailingBytes(offset: 2)),
        ("40ffffffffffffffffff0200", .notCanonical(offset: 10)),
        ("41", .badCompression),
        ("4101020304", .badCompression),
        // Order 1 where order 0 is as short.
        ("40010101010102", .notCanonical(offset: 6)),
        // A bitmap where all samples are present.
        ("4001010104010102", .notCanonical(offset: 2)),
        // The same channel twice.
        ("400102010001020100010200", .notCanonical(offset: 6)),
    ])
    func `what the encoder would not write is refused`(hexadecimal: String, error: ChunkError)
        throws
    {
        let bytes = try #require([UInt8](hexadecimal: hexadecimal))
        #expect(throws: error) { try Chunk.unpack(bytes) }
    }

    @Test func `a bomb is refused by its stated size, and a lying frame by its content`() throws {
        // Made by hand: 100,000,000 bytes stated, and one block of 128 KiB of zeros.
        let header: [UInt8] = [0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0x00, 0xe1, 0xf5, 0x05]
        let block: [UInt8] = [0x03, 0x00, 0x10, 0x00]
        #expect(throws: ChunkError.tooLarge) { try Chunk.unpack([0x41] + header + block) }
        // One byte stated, 128 KiB of zeros in the block.
        let liar: [UInt8] = [0x28, 0xb5, 0x2f, 0xfd, 0x20, 0x01, 0x03, 0x00, 0x10, 0x00]
        #expect(throws: ChunkError.badCompression) { try Chunk.unpack([0x41] + liar) }
        let huge = [UInt8](repeating: 0, count: Chunk.byteLimit + 1)
        #expect(throws: ChunkError.tooLarge) { try Chunk.unpack(huge) }
    }

    @Test func `many samples are split in order and within the limits`() throws {
        var random = SplitMix64(seed: 1)
        var samples = (0..<9000).map { Sample(time: UnixTime(milliseconds: $0 * 1000)) }
        for index in 0..<4096 {
            for number in UInt16(4)..<27 {
                samples[index][count: Channel(number: number)] = Int64.random(
                    in: .min ... .max,
                    using: &random
                )
            }
        }
        let chunks = Chunk.split(samples)
        #expect(chunks.allSatisfy { $0.bytes.count <= Chunk.byteLimit })
        #expect(try chunks.flatMap { try Chunk.unpack($0.bytes) } == samples)
        #expect(chunks.count < 12)
        #expect(chunks.map(\.samples.count).reduce(0, +) == 9000)
    }

    @Test func `a frame of the reference zstd is read`() throws {
        let frame = "28b52ffd20d5bd000080c801010102ce0180d000f00f86c2ee650100420a2001"
        let bytes = try #require([UInt8](hexadecimal: "41" + frame))
        let samples = (0..<200).map {
            Sample(time: UnixTime(milliseconds: 1_750_000_000_000 + $0 * 1000))
        }
        #expect(try Array(Chunk.unpack(bytes)) == samples)
        #expect(Chunk.pack(samples).first == 0x41)
        #expect(throws: ChunkError.badCompression) { try Chunk.unpack(bytes + [0]) }
        #expect(throws: ChunkError.badCompression) { try Chunk.unpack(bytes + bytes.dropFirst()) }
    }

    @Test func `thousands of channels are packed like any`() throws {
        let samples = (0..<600).map { index in
            Sample(
                ascending: (0..<100).map { place in
                    Sample.Reading(
                        channel: Channel(number: UInt16(59_900 - index * 100 + place)),
                        count: 1
                    )
                }
            )
        }
        let chunks = Chunk.split(samples)
        #expect(chunks.allSatisfy { $0.bytes.count <= Chunk.byteLimit })
        #expect(try chunks.flatMap { try Chunk.unpack($0.bytes) } == samples)
    }
}
