import Testing

@testable import SyncCore

@Suite struct ReceiverClockTests {
    private static let now = UnixTime(milliseconds: 1_777_627_800_000)
    private static let period: Int64 = 1024 * 7 * 86_400_000

    private func mended(_ offset: Int64) -> Sample {
        var sample = Sample(time: UnixTime(milliseconds: Self.now.milliseconds + offset))
        ReceiverClock.mend(&sample, at: Self.now)
        return sample
    }

    @Test(arguments: [1, 2] as [Int64], [-86_400_000, 0, 3000] as [Int64])
    func `a week number that began anew is mended and marked`(periods: Int64, drift: Int64) {
        let sample = mended(drift - periods * Self.period)
        #expect(sample.time?.milliseconds == Self.now.milliseconds + drift)
        #expect(sample[count: .clockMend] == 1024 * periods)
    }

    @Test(arguments: [0, -3_600_000, 3_600_000, -86_400_000 * 365, -(1 << 40)] as [Int64])
    func `any other time stays as it is`(offset: Int64) {
        let sample = mended(offset)
        #expect(sample.time?.milliseconds == Self.now.milliseconds + offset)
        #expect(sample[count: .clockMend] == nil)
    }

    @Test func `a time ahead of the recorder is marked and stays`() {
        let sample = mended(3_600_001)
        #expect(sample.time?.milliseconds == Self.now.milliseconds + 3_600_001)
        #expect(sample[count: .clockMend] == -1)
    }
}
