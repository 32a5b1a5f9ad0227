@testable import SyncCore
import Harness
import Testing

/// The filter settles most fixes by the steps around them alone; this must change no verdict.
@Suite struct CalmStepTests {
    private struct Verdict: Hashable {
        let index: Int
        let flag: FixFlag?
        let time: UnixTime?

        init(_ judged: FixFilter.Judged) {
            (index, flag) = (judged.index, judged.flag)
            // The time of an inaccurate fix depends on the verdicts before it is added.
            time = flag == .inaccurate ? nil : judged.time
        }
    }

    @Test(arguments: Rounds.seeds(30), [FixRule.usual, FixRule(sport: "running"), .off])
    func `fixes get the verdicts that they get when all are known`(seed: UInt64, rule: FixRule) {
        let samples = RandomTrack.samples(seed: seed, count: 500)
        var verdicts: (streamed: [Verdict], known: [Verdict]) = ([], [])
        var (streamed, known) = (FixFilter(rule), FixFilter(rule))
        for sample in samples {
            streamed.add(sample)
            while let judged = streamed.next() { verdicts.streamed.append(Verdict(judged)) }
            // Nothing is settled at once while fixes wait.
            known.add(sample)
        }
        streamed.end()
        while let judged = streamed.next() { verdicts.streamed.append(Verdict(judged)) }
        while let judged = known.next() { verdicts.known.append(Verdict(judged)) }
        known.end()
        while let judged = known.next() { verdicts.known.append(Verdict(judged)) }
        verdicts.streamed.sort { $0.index < $1.index }
        verdicts.known.sort { $0.index < $1.index }
        #expect(verdicts.streamed.count == verdicts.known.count)
        for (streamed, known) in zip(verdicts.streamed, verdicts.known) where streamed != known {
            Issue.record("\(streamed) instead of \(known)")
        }
    }
}
