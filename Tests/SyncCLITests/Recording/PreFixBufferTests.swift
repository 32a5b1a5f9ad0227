import SyncCore
import Testing

@testable import SyncCLI

@Suite struct PreFixBufferTests {
    private static func sample(_ time: Int64, isFix: Bool = false) -> Sample {
        var sample = Sample(time: UnixTime(milliseconds: time))
        sample[.depth] = 5
        guard isFix else { return sample }
        sample[.latitude] = 52
        sample[.longitude] = 5
        return sample
    }

    private static func times(_ samples: [Sample]) -> [Int64?] {
        samples.map { $0.time?.milliseconds }
    }

    /// A day in 2018, and the machine's clock in 2026.
    private static let (fix, wall): (Int64, Int64) = (1_534_758_461_000, 1_795_000_000_000)

    private static func at(_ milliseconds: Int64) -> UnixTime {
        UnixTime(milliseconds: wall + milliseconds)
    }

    @Test func `what came before the first fix gets the receiver's time`() {
        var prelude = PreFixBuffer()
        #expect(prelude.take([Self.sample(Self.wall)], at: Self.at(0)).isEmpty)
        #expect(prelude.take([Self.sample(Self.wall + 1000)], at: Self.at(1000)).isEmpty)
        let early = Self.sample(Self.fix - 500)
        let taken = prelude.take([early, Self.sample(Self.fix, isFix: true)], at: Self.at(2000))
        #expect(
            Self.times(taken) == [Self.fix - 2000, Self.fix - 1000, Self.fix - 500, Self.fix]
        )
        let later = [Self.sample(Self.fix + 700)]
        #expect(prelude.take(later, at: Self.at(2700)) == later)
    }

    @Test func `a clock that is right is left as it is`() {
        var prelude = PreFixBuffer()
        _ = prelude.take([Self.sample(Self.wall)], at: Self.at(0))
        let taken = prelude.take([Self.sample(Self.wall - 4000, isFix: true)], at: Self.at(1000))
        #expect(Self.times(taken) == [Self.wall, Self.wall - 4000])
    }

    @Test func `nothing waits longer than a minute, or for what never comes`() {
        var prelude = PreFixBuffer()
        let first = Self.sample(Self.wall)
        #expect(prelude.take([first], at: Self.at(0)).isEmpty)
        let second = Self.sample(Self.wall + 60_000)
        #expect(prelude.take([second], at: Self.at(60_000)) == [first, second])
        #expect(prelude.take([first], at: Self.at(60_001)) == [first])
        var ended = PreFixBuffer()
        _ = ended.take([first], at: Self.at(0))
        #expect(ended.end() == [first])
        var full = PreFixBuffer()
        let many = [Sample](repeating: first, count: 4096)
        #expect(full.take(many, at: Self.at(0)).count == 4096)
    }

    @Test func `absurd times move nothing and trap nothing`() {
        for time in [Int64.min, .max] {
            var prelude = PreFixBuffer()
            _ = prelude.take([Self.sample(Self.wall)], at: Self.at(0))
            let taken = prelude.take([Self.sample(time, isFix: true)], at: Self.at(1))
            #expect(taken.count == 2)
        }
    }
}
