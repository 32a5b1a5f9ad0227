@testable import SyncCore
import Harness
import Testing

@Suite struct StampClockTests {
    private let replica = Identifier(number: 7)

    @Test(arguments: Rounds.seeds(50))
    func `stamps only ascend, whatever the wall clock does`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var clock = StampClock(replica: replica, last: 0)
        var previous: UInt64 = 0
        for _ in 0..<500 {
            if Int.random(in: 0..<5, using: &random) == 0 {
                clock.observe(UInt64.random(in: 0..<Stamp.limit / 2, using: &random))
            }
            let wall = UnixTime(milliseconds: .random(in: .min ... .max >> 18, using: &random))
            let stamp = clock.tick(at: wall)
            #expect(stamp.time > previous)
            #expect(stamp.time == clock.last)
            previous = stamp.time
        }
    }

    @Test func `C6 more than 65,536 writes in one millisecond carry into the next`() {
        let now = UnixTime(milliseconds: 1_700_000_000_000)
        var clock = StampClock(replica: replica, last: 0)
        let stamps = (0..<70_000).map { _ in clock.tick(at: now) }
        #expect(stamps[0].time == UInt64(now.milliseconds) << 16)
        #expect(zip(stamps, stamps.dropFirst()).allSatisfy { $0.time + 1 == $1.time })
        #expect(stamps[65_536].wall == UnixTime(milliseconds: now.milliseconds + 1))
    }

    @Test func `C4 a clock that jumps back does not take the stamps along`() {
        var clock = StampClock(replica: replica, last: 0)
        let before = clock.tick(at: UnixTime(milliseconds: 1_700_000_000_000))
        let after = clock.tick(at: UnixTime(milliseconds: 1_600_000_000_000))
        #expect(after.time == before.time + 1)
    }

    @Test(arguments: [0, -1, -86_400_000, Int64.min])
    func `a time up to 1970 counts as 1970, above all timeless stamps`(milliseconds: Int64) {
        var clock = StampClock(replica: replica, last: 0)
        let stamp = clock.tick(at: UnixTime(milliseconds: milliseconds))
        #expect(stamp.time == 1 << 16)
        #expect(!stamp.isTimeless)
    }

    @Test(arguments: [Int64.max, 1 << 47, 1 << 60])
    func `a time past the range of a stamp counts as its end`(milliseconds: Int64) {
        var clock = StampClock(replica: replica, last: 0)
        let stamp = clock.tick(at: UnixTime(milliseconds: milliseconds))
        #expect(stamp.time < Stamp.limit)
        #expect(clock.tick(at: UnixTime(milliseconds: 0)).time == stamp.time + 1)
    }

    @Test func `the greatest stamp that can be merged does not bring the clock out of range`() {
        var clock = StampClock(replica: replica, last: 0)
        clock.observe(Stamp.limit - 1)
        #expect(clock.tick(at: UnixTime(milliseconds: 0)).time < Stamp.limit)
        #expect(clock.tick(at: UnixTime(milliseconds: .max)).time < Stamp.limit)
    }

    @Test func `the next stamp is above everything that was observed`() {
        var clock = StampClock(replica: replica, last: 5)
        clock.observe(3)
        #expect(clock.last == 5)
        clock.observe(900 << 16)
        #expect(clock.tick(at: UnixTime(milliseconds: 4)).time == 900 << 16 + 1)
    }

    @Test func `stamps are ordered by time, then by replica`() {
        let low = Stamp(time: 1, replica: Identifier(number: 9))
        let high = Stamp(time: 2, replica: Identifier(number: 1))
        #expect(low < high)
        #expect(Stamp(time: 1, replica: Identifier(number: 8)) < low)
    }
}
