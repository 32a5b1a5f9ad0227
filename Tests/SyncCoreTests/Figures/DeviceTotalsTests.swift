@testable import SyncCore
import Testing

/// What a device counted itself, beside what is counted here.
@Suite(.enabled(if: SharedData.isHere, "not here: ../shared")) struct DeviceTotalsTests {
    @Test func `a runner's watch counted about the same`() throws {
        var reader = FITReader()
        try reader.feed(try SharedData.bytes("fit/fit-sample.fit"))
        let tracks = try reader.finish().tracks
        let track = try #require(tracks.first)
        let figures = Walk.figures(
            Array(track.samples),
            FixRule(sport: track.sport),
            sport: SportKind(sport: track.sport)
        )
        let metres = Double(try #require(track.totals.centimetres)) / 100
        let ascent = Double(try #require(track.totals.ascentMetres))
        let climb = try #require(figures.climb.metres)
        #expect(abs(figures.totals.metres / metres - 1) < 0.01)
        #expect(abs(climb.up / ascent - 1) < 0.1)
        let seconds = Double(try #require(track.totals.timerMilliseconds)) / 1000
        #expect(abs(figures.totals.elapsedSeconds / seconds - 1) < 0.01)
    }
}
