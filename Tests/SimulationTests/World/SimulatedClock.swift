import SyncCore

@testable import SyncServer

/// True time, which only the world knows.
final class TrueTime: Sendable {
    private let milliseconds = Locked<Int64>(1_777_000_000_000)

    var now: Int64 { milliseconds.withLock { $0 } }

    func advance(by step: Int64) { milliseconds.withLock { $0 += max(step, 0) } }
}

/// What one machine takes for the time.
final class SimulatedClock: Sendable {
    private let time: TrueTime
    private let state: Locked<State>

    private struct State {
        var offset: Int64 = 0
        var started: Int64
        var boot: UInt128
    }

    init(_ time: TrueTime, boot: UInt64) {
        self.time = time
        state = Locked(State(started: time.now, boot: UInt128(boot) << 64))
    }

    var moment: Moment {
        let now = time.now
        return state.withLock {
            Moment(
                wall: UnixTime(milliseconds: now + $0.offset),
                uptimeMilliseconds: now - $0.started,
                boot: Identifier(number: $0.boot)
            )
        }
    }

    var wall: UnixTime { moment.wall }

    /// Someone sets the wall clock.
    func setOffset(_ offset: Int64) { state.withLock { $0.offset = offset } }

    /// The machine starts again.
    func reboot() {
        let now = time.now
        state.withLock {
            $0.started = now
            $0.boot += 1
        }
    }
}
