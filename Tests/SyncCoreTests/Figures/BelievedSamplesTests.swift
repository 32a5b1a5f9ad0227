@testable import SyncCore
import Harness
import Testing

@Suite struct BelievedSamplesTests {
    private func believed(_ samples: [Sample], _ rule: FixRule) -> [Sample] {
        BelievedSamples.all(of: samples, rule)
    }

    /// By index, from the filter itself.
    private func expected(_ samples: [Sample], _ rule: FixRule) -> [Sample] {
        var filter = FixFilter(rule)
        var flagged: Set<Int> = []
        func take() {
            while let judged = filter.next() {
                if judged.flag != nil { flagged.insert(judged.index) }
            }
        }
        for sample in samples {
            filter.add(sample)
            take()
        }
        filter.end()
        take()
        var index = -1
        return samples.filter { sample in
            guard sample.isPoint else { return true }
            index += 1
            return !flagged.contains(index)
        }
    }

    @Test(arguments: Rounds.seeds(8))
    func `all but the flagged fixes come through, in their order`(seed: UInt64) {
        let samples = RandomTrack.samples(seed: seed, count: 1500)
        for rule in [FixRule.usual, .off, FixRule(speedLimit: 4)] {
            let isSame = believed(samples, rule) == expected(samples, rule)
            #expect(isSame)
        }
    }
}
