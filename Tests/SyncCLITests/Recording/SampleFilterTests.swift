import SyncCore
import Testing

@testable import SyncCLI

@Suite struct SampleFilterTests {
    private func point(_ second: Int64) -> Sample {
        var sample = Sample(time: UnixTime(milliseconds: second * 1000))
        (sample[.latitude], sample[.longitude]) = (52, 5)
        return sample
    }

    @Test func `a minute without a point makes a segment`() {
        var intake = SampleFilter(segment: 3)
        let samples = intake.take([0, 60, 121, 122].map(point))
        #expect(samples.map { $0[count: .segment] } == [3, 3, 4, 4])
    }

    @Test func `a segment of the source is one of the recording`() {
        var intake = SampleFilter(segment: 3)
        var next = point(2)
        next[count: .segment] = 7
        let samples = intake.take([point(0), point(1), next])
        #expect(samples.map { $0[count: .segment] } == [3, 3, 4])
    }

    @Test func `a sensor alone does not bridge a gap`() {
        var intake = SampleFilter(segment: 0)
        var heel = Sample(time: UnixTime(milliseconds: 50_000))
        heel[.heel] = 1
        let samples = intake.take([point(0), heel, point(100)])
        #expect(samples.map { $0[count: .segment] } == [0, 0, 1])
    }

    @Test func `nothing of a pause is kept, and another segment begins after it`() {
        var intake = SampleFilter(segment: 0)
        #expect(intake.take([point(0)]).count == 1)
        intake.pause()
        #expect(intake.take([point(1)]).isEmpty)
        intake.resume()
        intake.resume()
        #expect(intake.take([point(2)]).map { $0[count: .segment] } == [1])
    }

    @Test func `fewer samples are kept where that is asked`() {
        var intake = SampleFilter(segment: 0, everyMilliseconds: 5000)
        let kept = intake.take((0..<20).map(point)).compactMap(\.time)
        #expect(kept.map(\.milliseconds) == [0, 5000, 10_000, 15_000])
        var slow = SampleFilter(segment: 0, everyMilliseconds: 120_000)
        let points = slow.take((0..<600).map(point))
        #expect(points.map { $0[count: .segment] } == [0, 0, 0, 0, 0])
        var heel = Sample(time: UnixTime(milliseconds: 100))
        heel[.heel] = 1
        var mixed = SampleFilter(segment: 0, everyMilliseconds: 1000)
        #expect(mixed.take([heel, point(1), point(2)]).count(where: \.isPoint) == 2)
        // A clock that was set back is no reason to keep nothing.
        #expect(intake.take([point(1)]).count == 1)
    }
}
