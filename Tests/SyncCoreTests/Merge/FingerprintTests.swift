@testable import SyncCore
import Harness
import Testing

@Suite struct FingerprintTests {
    private func random(using random: inout SplitMix64) -> Fingerprint {
        // Many bytes are 0 or 255, so that carries run far.
        let bytes = (0..<32).map { _ in
            [0, 255, UInt8.random(in: 0...255, using: &random)].randomElement(using: &random) ?? 0
        }
        return Fingerprint(bytes: bytes) ?? Fingerprint()
    }

    /// The sum mod 2^256, byte by byte.
    static func sum(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] {
        var carry = 0
        return zip(left, right).reversed().map { left, right -> UInt8 in
            let sum = Int(left) + Int(right) + carry
            carry = sum >> 8
            return UInt8(truncatingIfNeeded: sum)
        }.reversed()
    }

    @Test(arguments: Rounds.seeds(10))
    func `adding is that of 256-bit numbers, and taking away undoes it`(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        for _ in 0..<20 {
            let (left, right) = (random(using: &generator), random(using: &generator))
            var sum = left
            sum.add(right)
            #expect(sum.bytes == Self.sum(left.bytes, right.bytes))
            sum.subtract(right)
            #expect(sum == left)
        }
    }

    @Test(arguments: Rounds.seeds(10))
    func `the order of cells does not matter`(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        let digests = (0..<20).map { _ in random(using: &generator) }
        func total(_ digests: [Fingerprint]) -> Fingerprint {
            digests.reduce(into: Fingerprint()) { $0.add($1) }
        }
        #expect(total(digests) == total(digests.shuffled(using: &generator)))
    }

    @Test func `a carry runs through all bytes`() throws {
        let ones = try #require(Fingerprint(bytes: [UInt8](repeating: 255, count: 32)))
        let one = try #require(Fingerprint(bytes: [UInt8](repeating: 0, count: 31) + [1]))
        var sum = ones
        sum.add(one)
        #expect(sum == Fingerprint())
        sum.subtract(one)
        #expect(sum == ones)
    }

    @Test(arguments: [0, 31, 33]) func `only 32 bytes are one`(count: Int) {
        #expect(Fingerprint(bytes: [UInt8](repeating: 0, count: count)) == nil)
    }

    /// Made with Python's `hashlib` from bytes written by hand.
    @Test func `a cell's share is the digest of its deterministic CBOR`() throws {
        let row = try #require(Identifier(bytes: Array(0..<16)))
        let replica = try #require(Identifier(bytes: Array(16..<32)))
        let stamp = Stamp(time: 1_700_000_000_000 << 16 | 7, replica: replica)
        let change = Change(
            key: Key("track", .id(row), "name"),
            cell: Cell(stamp: stamp, value: .text("Sunday"))
        )
        #expect(
            change.fingerprintPreimage.hexadecimal
                == "8665747261636b50000102030405060708090a0b0c0d0e0f646e616d65"
                + "1b018bcfe56800000750101112131415161718191a1b1c1d1e1f6653756e646179"
        )
        #expect(
            change.digest.bytes.hexadecimal
                == "f2bf158c93eb8f8e97c0d2e9e948e6f1dc67668f5c20da3a8ecfb8a18d7a4c0f"
        )
    }
}
