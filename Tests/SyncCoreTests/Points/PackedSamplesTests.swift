@testable import SyncCore
import Testing

@Suite struct PackedSamplesTests {
    @Test(arguments: [0, 1, 4095, 4096, 4097, 10_000])
    func `what is packed comes back, however it came`(count: Int) {
        let samples = RecordingTests.samples(count: count)
        let packed = PackedSamples(samples)
        #expect(packed.count == count && packed.isEmpty == (count == 0))
        #expect(Array(packed) == samples)
        #expect(packed.chunks.reduce(0) { $0 + $1.summary.bounds.sampleCount } == count)
        var pieces = PackedSamples()
        for start in stride(from: 0, to: count, by: 777) {
            pieces.append(contentsOf: samples[start..<min(start + 777, count)])
        }
        #expect(Array(pieces) == samples)
        pieces.close()
        #expect(pieces == packed)
    }
}
