@testable import SyncCore
import Testing

@Suite struct DuplicateDetectorTests {
    private let outing = Outing()

    private func shift(_ other: [Sample]) -> Int64? { Outing.shift(of: outing.samples, to: other) }

    @Test func `no place lies between points at the two ends of time`() {
        var positions = InterpolatedPositions(at: [0])
        for time in [Int64.min, .max] {
            var sample = outing.samples[0]
            sample[count: .time] = time
            positions.add(sample)
        }
        #expect(positions.places == [nil])
    }

    @Test func `times that no clock shows do not count for what a track covers`() {
        let ends = [Int64.min, .max].map { Sample(time: UnixTime(milliseconds: $0)) }
        let (hostile, own) = (Richness(of: outing.samples + ends), Richness(of: outing.samples))
        #expect(hostile.covers(own))
        for shift in [-900_000, 900_000] as [Int64] {
            #expect(!hostile.covers(hostile, shiftMilliseconds: shift))
        }
    }

    @Test(arguments: [1, 2, 5, 10, 30])
    func `another rate of samples is the same outing, whichever is judged by the other`(
        step: Int
    ) {
        let other = outing.seen(every: step, offBy: 8)
        #expect(shift(other) == 0)
        #expect(Outing.shift(of: other, to: outing.samples) == 0)
    }

    @Test func `clocks of whole seconds, and tenths that are cut, change nothing`() {
        let other = outing.seen().map { sample in
            var sample = sample
            sample[count: .time] = sample[count: .time].map { $0 / 1000 * 1000 - 900 }
            return sample
        }
        #expect(shift(other) == 0)
    }

    @Test func `a device that was started later and stopped earlier saw the same outing`() {
        #expect(shift(Array(outing.seen(from: 300).dropLast(300))) == 0)
        // Of a third of it nobody knows whether the rest was another's.
        #expect(shift(Array(outing.seen().prefix(500))) == nil)
    }

    @Test(arguments: [1, 4, -20, 23, 56, -48])
    func `local time that stands as UTC is found by quarter hours`(quarters: Int64) {
        let shift = quarters * 900_000
        #expect(self.shift(outing.seen(every: 3, shifted: shift)) == shift)
    }

    @Test(arguments: [600_000, 3_700_000, 86_400_000, 604_800_000, 216_000_000] as [Int64])
    func `the same way at another time is another outing`(later: Int64) {
        #expect(shift(outing.seen(shifted: later)) == nil)
    }

    @Test func `another boat on the same lake at the same time is another outing`() {
        #expect((2...40).allSatisfy { shift(Outing(seed: $0).samples) == nil })
    }

    @Test func `two people of one crew are alike`() {
        #expect(shift(outing.seen(every: 1, offBy: 20)) == 0)
    }

    @Test func `a boat that lies still is like itself now and not at another hour`() {
        let still = outing.samples.map { sample in
            var sample = sample
            sample[count: .latitude] = 540_000_000
            sample[count: .longitude] = 100_000_000
            return sample
        }
        let later = still.map { sample in
            var sample = sample
            sample[count: .time] = sample[count: .time].map { $0 + 3_600_000 }
            return sample
        }
        #expect(Outing.shift(of: still, to: still) == 0)
        #expect(Outing.shift(of: still, to: later) == nil)
    }

    @Test func `without times, or with less than a minute, nothing is judged`() {
        let timeless = outing.samples.map { sample in
            var sample = sample
            sample.time = nil
            return sample
        }
        #expect(TrackMarks(of: timeless) == nil)
        #expect(TrackMarks(of: outing.samples.prefix(60)) == nil)
        #expect(TrackMarks(of: [Sample]()) == nil)
    }

    @Test(arguments: [0, 900, 1799], [320_000_000_000, 3_500_000_000_000] as [Int64])
    func `a fix that is out of time makes no other outing of it`(index: Int, time: Int64) {
        var wrong = outing.seen()
        #expect(wrong.count == 1800)
        wrong[index][count: .time] = time
        #expect(Outing.shift(of: wrong, to: outing.samples) == 0)
        #expect(TrackMarks(of: wrong)?.times.lowerBound.milliseconds ?? 0 >= Time.start)
    }

    @Test func `times at the ends of their range are judged and harm nothing`() {
        var samples = outing.samples
        samples[0][count: .time] = .min
        #expect(TrackMarks(of: samples, by: .off) == nil)
        #expect(Outing.shift(of: samples, to: outing.samples) == 0)
        samples[0][count: .time] = .max
        #expect(TrackMarks(of: samples, by: .off) == nil)
        #expect(Outing.shift(of: samples, to: outing.samples) == 0)
        let far = UnixTime(milliseconds: .min)...UnixTime(milliseconds: .max)
        #expect(TrackMarks(of: outing.samples)?.shifts(to: far) == [])
        var marks = InterpolatedPositions(at: [0, 1])
        for sample in samples { marks.add(sample) }
        for sample in samples.reversed() { marks.add(sample) }
        #expect(marks.places == [nil, nil])
    }

    @Test func `between two samples the way is straight, across the antimeridian too`() {
        var marks = InterpolatedPositions(at: [1000, 2000, 500_000])
        for (time, east) in [(0, 1_799_999_000), (3000, -1_799_998_000), (600_000, 0)] {
            var sample = Sample(time: UnixTime(milliseconds: Int64(time)))
            sample[count: .latitude] = 0
            sample[count: .longitude] = Int64(east)
            marks.add(sample)
        }
        #expect(marks.places.map { $0?.longitude } == [1_800_000_000, -1_799_999_000, nil])
    }

    @Test(.enabled(if: SharedData.isHere, "the recordings are not here"))
    func `a converted recording is like its original`() throws {
        func first(_ path: String, _ format: RecordingFormat) throws -> [Sample] {
            Array(try #require(try format.read(try SharedData.bytes(path)).tracks.first).samples)
        }
        for name in ["bike", "history"] {
            let original = try first("tcx/\(name).tcx", .tcx)
            let copies = ["bike": "tcx/bike~gpx.gpx", "history": "tcx/history~tcx.gpx"]
            let copy = try first(try #require(copies[name]), .gpx)
            #expect(Outing.shift(of: copy, to: original) == 0)
        }
    }
}
