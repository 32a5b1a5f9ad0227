@testable import SyncCore
import Testing

/// What `struct.pack('>e', …)` of Python 3.13 says.
@Suite struct HalfFloatTests {
    @Test(
        arguments: [
            (0.0, 0x0000), (-0.0, 0x8000), (1.0, 0x3c00), (-1.0, 0xbc00), (1.5, 0x3e00),
            (65504.0, 0x7bff), (-65504.0, 0xfbff), (0x1p-24, 0x0001), (0x1p-14, 0x0400),
            (0x1.ff8p-15, 0x03ff), (0.333251953125, 0x3555), (0x1.8p-23, 0x0003), (2048.0, 0x6800),
        ] as [(Double, UInt16)]
    )
    func `numbers that fit have these bits`(number: Double, bits: UInt16) {
        #expect(HalfFloat(exactly: number)?.bits == bits)
        #expect(HalfFloat(bits: bits).double.bitPattern == number.bitPattern)
    }

    @Test(arguments: [
        2049.0, 65505.0, 65520.0, 65536.0, 0x1p-25, 0x1.8p-24, 1.1, 0.1, 1e300,
        .leastNonzeroMagnitude, .infinity,
        -.infinity, .nan,
    ])
    func `others do not fit`(number: Double) {
        #expect(HalfFloat(exactly: number) == nil)
    }

    /// SHA-256 over the binary64 forms, big-endian, of all finite halves in the order of bits.
    @Test func `all of them are what Python says, and come back`() {
        var bytes: [UInt8] = []
        for bits in UInt16.min ... .max {
            let number = HalfFloat(bits: bits).double
            guard number.isFinite else { continue }
            bytes += number.bitPattern.bigEndianBytes
            #expect(HalfFloat(exactly: number)?.bits == bits)
        }
        let digest = "796125f7216d6256a31cd75d75821a8e41a52ac887feea3b59155e9cd80c95c0"
        #expect(Digest(of: bytes).description == digest)
    }
}
