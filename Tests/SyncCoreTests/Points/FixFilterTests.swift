@testable import SyncCore
import Harness
import Testing

@Suite struct FixFilterTests {
    /// A fix so many metres north of the equator and of 10 degrees east, at a second.
    private static func fix(_ second: Double, _ metres: Double, segment: Int64 = 0) -> Sample {
        var sample = Sample(time: UnixTime(milliseconds: Int64(second * 1000)))
        sample[count: .segment] = segment
        sample[.latitude] = metres / 110_574
        sample[.longitude] = 10
        return sample
    }

    private static func flags(
        _ samples: [Sample],
        _ rule: FixRule = FixRule(sport: "running")
    ) -> [Int: FixFlag] {
        var filter = FixFilter(rule)
        var flags: [Int: FixFlag] = [:]
        func take() {
            while let judged = filter.next() { flags[judged.index] = judged.flag }
        }
        for sample in samples {
            filter.add(sample)
            take()
        }
        filter.end()
        take()
        return flags
    }

    private static func run(_ count: Int) -> [Sample] {
        (0..<count).map { fix(Double($0), Double($0) * 3) }
    }

    @Test func `a run is believed`() {
        #expect(Self.flags(Self.run(100)).isEmpty)
    }

    @Test(arguments: 1...FixFilter.reach)
    func `a jump there and back is flagged, however many fixes it lasts`(length: Int) {
        var samples = Self.run(30)
        for index in 10..<10 + length { samples[index] = Self.fix(Double(index), 5000) }
        let flags = Self.flags(samples)
        #expect(flags == Dictionary(uniqueKeysWithValues: (10..<10 + length).map { ($0, .jump) }))
        var distance = Distance(FixRule(sport: "running"))
        for sample in samples { distance.add(sample) }
        #expect(abs(distance.metres - 87) < 0.1)
    }

    @Test func `who does not come back is believed`() {
        // A train that goes on, and a tunnel.
        let train = (0..<60).map { Self.fix(Double($0), Double($0) * 80) }
        #expect(Self.flags(train).isEmpty)
        let tunnel = Self.run(10) + (10..<30).map { Self.fix(Double($0), 9000 + Double($0) * 3) }
        #expect(Self.flags(tunnel).isEmpty)
        // A place that is found again late: far from the one before, and good from then on.
        let gap = Self.run(10) + (10..<30).map { Self.fix(Double($0), 20 + Double($0) * 3) }
        #expect(Self.flags(gap).isEmpty)
        // And one who drove away and came back.
        let errand = [Self.fix(0, 0), Self.fix(100, 4000), Self.fix(130, 0), Self.fix(131, 3)]
        #expect(Self.flags(errand).isEmpty)
    }

    @Test func `a first fix from elsewhere is flagged`() {
        var samples = Self.run(10)
        samples[0] = Self.fix(0, 800_000)
        #expect(Self.flags(samples) == [0: .jump])
    }

    @Test(arguments: 1...FixFilter.reach)
    func `a start elsewhere is flagged, however many fixes it lasts`(length: Int) {
        var samples = Self.run(30)
        for index in 0..<length { samples[index] = Self.fix(Double(index), 800_000) }
        let flags = Self.flags(samples)
        #expect(flags == Dictionary(uniqueKeysWithValues: (0..<length).map { ($0, .jump) }))
    }

    @Test(arguments: 1...FixFilter.reach)
    func `an end elsewhere is flagged, however many fixes it lasts`(length: Int) {
        var samples = Self.run(30)
        for index in 30 - length..<30 { samples[index] = Self.fix(Double(index), 800_000) }
        let flags = Self.flags(samples)
        #expect(flags == Dictionary(uniqueKeysWithValues: (30 - length..<30).map { ($0, .jump) }))
    }

    @Test(arguments: [6, 20, Outlier.reach])
    func `a place that nobody can have been at is flagged, however long it is held`(length: Int) {
        var samples = Self.run(60)
        for index in 10..<10 + length {
            samples[index] = Self.fix(Double(index), 5000 + Double(index))
        }
        let flags = Self.flags(samples)
        #expect(flags == Dictionary(uniqueKeysWithValues: (10..<10 + length).map { ($0, .jump) }))
    }

    @Test func `who is away longer, or no faster than a car, is believed`() {
        var long = Self.run(60)
        for index in 10...10 + Outlier.reach { long[index] = Self.fix(Double(index), 5000) }
        #expect(Self.flags(long).isEmpty)
        // Ten fixes on the other side of a street's houses, 40 m a second away.
        var near = Self.run(60)
        for index in 10..<20 { near[index] = Self.fix(Double(index), Double(index) * 3 + 40) }
        #expect(Self.flags(near).isEmpty)
        // Three minutes away, and every fix of them.
        let slow = Self.run(10) + (0..<20).map { Self.fix(Double($0) * 10 + 10, 9000) }
        #expect(Self.flags(slow + (0..<9).map { Self.fix(Double($0) + 210, 30) }).isEmpty)
    }

    /// A walk, six kilometres in `away` seconds, some fixes there, and the walk again.
    private static func needle(away: Double, fixes: Int = 1, offset: Double = 0) -> [Sample] {
        let back = 10 + 2 * away + Double(fixes)
        return run(10)
            + (0..<fixes).map { fix(10 + away + Double($0), 6000 + Double($0)) }
            + (0..<10).map { fix(back + Double($0), offset + 30 + Double($0) * 3) }
    }

    @Test func `a fix in a silence is flagged where nobody can have been there and back`() {
        #expect(Self.flags(Self.needle(away: 170), .usual) == [10: .jump])
        #expect(Self.flags(Self.needle(away: 200, fixes: 5), .usual).count == 5)
        #expect(Self.flags(Self.needle(away: 280)) == [10: .jump])
        #expect(Self.flags(Self.needle(away: 170, offset: 1600), .usual) == [10: .jump])
    }

    @Test func `who can have been there and back in a silence is believed`() {
        // At less than 90 km/h, or for more than ten minutes.
        #expect(Self.flags(Self.needle(away: 280), .usual).isEmpty)
        #expect(Self.flags(Self.needle(away: 330)).isEmpty)
        // Six fixes there.
        #expect(Self.flags(Self.needle(away: 200, fixes: 6), .usual).isEmpty)
        // Who goes on from another place.
        #expect(Self.flags(Self.needle(away: 170, offset: 3100), .usual).isEmpty)
        // By an engine.
        #expect(Self.flags(Self.needle(away: 170), FixRule(sport: "driving")).isEmpty)
        // A recorder with a fix every three minutes, and an errand by car.
        let errand = [0, 100, 200, 6000, 200, 100, 0].enumerated().map {
            Self.fix(Double($0.offset) * 170, $0.element)
        }
        #expect(Self.flags(errand, .usual).isEmpty)
        // A train that stops between two tunnels.
        let places = [(0, 0), (5, 200), (10, 400), (130, 6400), (250, 12_400), (255, 12_600)]
        let train = places.map { Self.fix(Double($0.0), Double($0.1)) }
        #expect(Self.flags(train, .usual).isEmpty)
    }

    @Test func `ends of who is always faster than the sport are believed`() {
        let flight = (0..<8).map { Self.fix(Double($0), Double($0) * 250) }
        #expect(Self.flags(flight).isEmpty)
        // A lift that took longer than a fix is wrong.
        let lift = Self.run(10) + [Self.fix(150, 60_000), Self.fix(151, 60_003)]
        #expect(Self.flags(lift).isEmpty)
    }

    @Test func `a time that is not between its neighbours' is flagged`() {
        var late = Self.run(20)
        late[7] = Self.fix(2.5, 21)
        #expect(Self.flags(late) == [7: .untimely])
        var ahead = Self.run(20)
        ahead[7] = Self.fix(3600, 21)
        #expect(Self.flags(ahead) == [7: .untimely])
        // A clock that was set back once, or forward, is no fault of the fixes after it.
        let setBack = Self.run(20) + (20..<40).map { Self.fix(Double($0) - 3600, Double($0) * 3) }
        #expect(Self.flags(setBack).isEmpty)
    }

    /// A run whose last second is 1,600,000,029, with some times decades off.
    private static func run(_ wrong: [Int: Double]) -> [Sample] {
        run(30).enumerated().map { index, sample in
            var sample = sample
            let second = wrong[index] ?? 1_600_000_000 + Double(index)
            sample.time = UnixTime(milliseconds: Int64(second * 1000))
            return sample
        }
    }

    @Test(
        arguments: [
            [0: 315_964_800], [0: 315_964_800, 1: 315_964_801, 2: 315_964_802], [0: 4_000_000_000],
            [29: 315_964_800], [29: 4_000_000_000], [28: 4_000_000_000, 29: 4_000_000_001],
            [9: 4_000_000_000], [9: 4_000_000_000, 10: 4_000_000_001], [9: 0],
        ] as [[Int: Double]]
    )
    func `a time decades off is flagged, and no track lasts so long`(wrong: [Int: Double]) {
        let samples = Self.run(wrong)
        #expect(Self.flags(samples) == wrong.mapValues { _ in .untimely })
        let summary = ChunkSummary(of: samples)
        let right = samples.indices.filter { wrong[$0] == nil }.compactMap { samples[$0].time }
        #expect(summary.filtered?.times == right[0]...right[right.count - 1])
        #expect(
            summary.bounds.times != summary.filtered?.times
                || wrong.keys.allSatisfy { 1..<29 ~= $0 }
        )
        #expect(ImportedTrack(samples: samples).start?.time == right[0])
    }

    @Test func `a clock that is set by decades and goes on is believed`() {
        let set = Dictionary(uniqueKeysWithValues: (0..<12).map { ($0, Double($0)) })
        #expect(Self.flags(Self.run(set)).isEmpty)
        #expect(ChunkSummary(of: Self.run(set)).filtered?.times?.lowerBound.milliseconds == 0)
    }

    @Test func `a fix that is wrong by itself makes no track long, nor short`() {
        let copy = Self.run([0: 315_964_800, 1: 315_964_800]).enumerated().map { index, sample in
            var sample = sample
            if index == 1 { sample[.latitude] = 0 }
            return sample
        }
        #expect(Self.flags(copy) == [0: .untimely, 1: .repeated])
        var unsure = Self.run([0: 315_964_800])
        unsure[0][.accuracy] = 500
        for (samples, first) in [(copy, 2), (unsure, 1)] {
            #expect(ChunkSummary(of: samples).filtered?.times?.lowerBound == samples[first].time)
            #expect(ImportedTrack(samples: samples).start?.time == samples[first].time)
        }
        var inside = Self.run([:])
        for index in [1, 5, 29] { inside[index][.accuracy] = 500 }
        #expect(ChunkSummary(of: inside).filtered?.times == ChunkSummary(of: inside).bounds.times)
        #expect(ImportedTrack(samples: inside).start?.time == inside[0].time)
    }

    @Test func `between two runs of one log there is no way`() {
        let start = 1_600_000_000.0
        let later = (0..<20).map { Self.fix(start + Double($0), Double($0) * 3) }
        let earlier = (0..<20).map { Self.fix(start + Double($0) - 3000, 2000 + Double($0) * 3) }
        let runs = later + earlier
        var distance = Distance(FixRule(sport: "running"))
        var totals = RunningTotals(FixRule(sport: "running"), sport: .foot)
        for sample in runs {
            distance.add(sample)
            totals.add(sample)
        }
        #expect(abs(distance.metres - 2 * 19 * 3) < 0.01)
        #expect(abs(totals.totals.metres - 2 * 19 * 3) < 0.01)
        // A clock that is set on the way stops nobody.
        let set = Self.run(20) + (20..<40).map { Self.fix(Double($0) - 5, Double($0) * 3) }
        #expect(abs((ChunkSummary(of: set).filtered?.metres ?? -1) - 39 * 3) < 0.01)
    }

    @Test func `a log whose later runs come first begins with its earliest`() {
        let later = Self.run(
            Dictionary(uniqueKeysWithValues: (0..<12).map { ($0, 1_600_003_000 + Double($0)) })
        )
        #expect(ImportedTrack(samples: later).start?.time == later[12].time)
    }

    @Test func `places that are none have no times to go by`() {
        var samples = Self.run([0: 315_964_800])
        (samples[0][.latitude], samples[0][.longitude]) = (0, 0)
        let summary = ChunkSummary(of: samples)
        #expect(summary.filtered?.times?.lowerBound == samples[1].time)
        #expect(summary.bounds.times?.lowerBound == samples[0].time)
        #expect(ChunkSummary(of: samples[..<1]).filtered?.times?.lowerBound == samples[0].time)
        // What a sensor tells has no place to be judged by.
        let sensed = Sample(time: UnixTime(milliseconds: 5))
        #expect(ChunkSummary(of: [sensed] + samples).filtered?.times?.lowerBound == sensed.time)
        #expect(ImportedTrack(samples: [sensed] + samples).start?.time == sensed.time)
        samples.insert(Sample(time: samples[1].time), at: 2)
        #expect(ImportedTrack(samples: samples.dropFirst()).start?.time == samples[1].time)
    }

    @Test func `what a fix shows by itself is flagged`() {
        var samples = Self.run(12)
        (samples[3][.latitude], samples[3][.longitude]) = (0, 0)
        samples[5][.accuracy] = 100.1
        samples[6][.accuracy] = 100
        samples[9] = samples[8]
        #expect(Self.flags(samples) == [3: .zero, 5: .inaccurate, 9: .repeated])
        #expect(Self.flags(samples, .off).isEmpty)
    }

    @Test func `fixes of another segment are no neighbours`() {
        let samples =
            Self.run(5) + [Self.fix(5, 70_000, segment: 1), Self.fix(6, 70_003, segment: 1)]
            + (7..<12).map { Self.fix(Double($0), Double($0) * 3, segment: 2) }
        #expect(Self.flags(samples).isEmpty)
    }

    @Test func `what is impossible depends on the sport`() {
        var samples = Self.run(20)
        samples[9] = Self.fix(9, 27 + 30)
        let verdicts = ["Running", "Biking", "sailing", nil].map {
            Self.flags(samples, FixRule(sport: $0)).count
        }
        #expect(verdicts == [1, 0, 0, 0])
    }

    @Test(
        arguments: [
            ("running", 15), ("Trail Running", 15), ("skyrunning", 15), ("hiking", 15),
            ("cycling", 40), ("Biking", 40), ("mountain biking", 40), ("Ride", 40),
            ("horseback riding", 40), ("motorcycling", 100), ("flying", 350), ("sky diving", 350),
            ("sailing", 60), ("training", 60), ("cardio", 60), ("Carrera", 60), ("", 60),
        ] as [(String, Double)]
    )
    func `a sport has a limit`(sport: String, limit: Double) {
        #expect(FixRule(sport: sport).speedLimit == limit)
    }

    @Test func `every fix gets one verdict, whatever comes`() {
        var random = SplitMix64(seed: 5)
        for _ in 0..<300 {
            let samples = (0..<60).map { _ in
                var sample = Self.fix(
                    Double(Int.random(in: 0..<40, using: &random)),
                    Double(Int.random(in: 0..<4, using: &random)) * 500,
                    segment: .random(in: 0..<40, using: &random) / 39
                )
                if Int.random(in: 0..<30, using: &random) == 0 { sample.time = nil }
                return sample
            }
            var filter = FixFilter(FixRule(sport: "running"))
            var judged: [Int] = []
            for sample in samples {
                filter.add(sample)
                while let next = filter.next() { judged.append(next.index) }
            }
            filter.end()
            while let next = filter.next() { judged.append(next.index) }
            #expect(judged.sorted() == Array(0..<samples.count))
        }
    }

    @Test func `chunks add up to what their samples are`() {
        var random = SplitMix64(seed: 6)
        let rule = FixRule(sport: "running")
        for _ in 0..<40 * Rounds.factor {
            // Spikes anywhere, so at the ends of chunks too.
            let samples = (0..<600).map { index in
                let isWrong = Int.random(in: 0..<25, using: &random) == 0
                return Self.fix(Double(index), Double(index) * 3 + (isWrong ? 4000 : 0))
            }
            var whole = Distance(rule)
            for sample in samples { whole.add(sample) }
            var way = DistanceAccumulator(rule)
            var rest = samples[...]
            while !rest.isEmpty {
                let chunk = rest.prefix(.random(in: 1...150, using: &random))
                rest = rest.dropFirst(chunk.count)
                let summary = ChunkSummary(of: chunk, by: rule)
                way.add(metres: summary.filtered?.metres ?? -1, ends: Samples(chunk).ends)
            }
            #expect(abs(way.metres - whole.metres) < 0.001)
        }
    }

    @Test(arguments: 60...140)
    func `an absence is one wherever chunks end`(cut: Int) {
        var samples = Self.run(200)
        for index in 90..<90 + Outlier.reach { samples[index] = Self.fix(Double(index), 5000) }
        var way = DistanceAccumulator(FixRule(sport: "running"))
        for chunk in [samples[..<cut], samples[cut...]] {
            let summary = ChunkSummary(of: chunk, by: FixRule(sport: "running"))
            way.add(metres: summary.filtered?.metres ?? -1, ends: Samples(chunk).ends)
        }
        #expect(abs(way.metres - 199 * 3) < 0.1)
    }
}
