@testable import SyncCore
import Testing

@Suite struct ClockAnchorTests {
    private let boot = Identifier(number: 1)

    private func moment(wall: Int64, uptime: Int64) -> Moment {
        Moment(
            wall: UnixTime(milliseconds: wall),
            uptimeMilliseconds: uptime,
            boot: boot
        )
    }

    @Test func `the server's time holds from the middle of its request, whatever the wall says`() {
        let anchor = ClockAnchor(
            server: UnixTime(milliseconds: 1_000_000),
            asked: moment(wall: 5, uptime: 400),
            answered: moment(wall: 9_000, uptime: 600)
        )
        let later = moment(wall: 77, uptime: 1500)
        #expect(anchor.time(at: later) == UnixTime(milliseconds: 1_001_000))
        #expect(anchor.offsetMilliseconds(at: later) == 1_000_923)
    }

    @Test func `after a restart of the machine it says nothing`() {
        let anchor = ClockAnchor(bootMilliseconds: 0, boot: boot)
        let later = Moment(
            wall: UnixTime(milliseconds: 0),
            uptimeMilliseconds: 1,
            boot: Identifier(number: 2)
        )
        #expect(anchor.time(at: later) == nil)
        #expect(anchor.offsetMilliseconds(at: later) == nil)
    }
}
