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
        /// How much too fast it goes, in millionths, and since when.
        var drift: Int64 = 0
        var driftStart: Int64
        /// What had come together by then.
        var gained: Int64 = 0
        var started: Int64
        var gainedAtStart: Int64 = 0
        var boot: UInt128
        /// Whether it was ever wrong, and whether it ever drifted.
        var wasSet = false
        var hasDrifted = false

        func gain(at now: Int64) -> Int64 { gained + (now - driftStart) / 1000 * drift / 1000 }
    }

    init(_ time: TrueTime, boot: UInt64) {
        self.time = time
        state = Locked(
            State(driftStart: time.now, started: time.now, boot: UInt128(boot) << 64)
        )
    }

    var moment: Moment {
        let now = time.now
        return state.withLock {
            let gain = $0.gain(at: now)
            return Moment(
                wall: UnixTime(milliseconds: now + $0.offset + gain),
                uptimeMilliseconds: now - $0.started + gain - $0.gainedAtStart,
                boot: Identifier(number: $0.boot)
            )
        }
    }

    var wall: UnixTime { moment.wall }

    /// Whether it never showed another time than the true one.
    var isRight: Bool { state.withLock { !$0.wasSet && !$0.hasDrifted } }

    /// Whether it ever went too fast or too slow, so that the uptime is wrong as well.
    var hasDrifted: Bool { state.withLock { $0.hasDrifted } }

    /// Someone sets the wall clock.
    func setOffset(_ offset: Int64) {
        let now = time.now
        state.withLock {
            $0.offset = offset - $0.gain(at: now)
            $0.wasSet = $0.wasSet || offset != 0
        }
    }

    /// From now on it goes too fast, or too slow, by so many millionths.
    func setDrift(_ drift: Int64) {
        let now = time.now
        state.withLock {
            $0.gained = $0.gain(at: now)
            ($0.drift, $0.driftStart) = (drift, now)
            $0.hasDrifted = $0.hasDrifted || drift != 0
        }
    }

    /// The machine starts again.
    func reboot() {
        let now = time.now
        state.withLock {
            ($0.started, $0.gainedAtStart) = (now, $0.gain(at: now))
            $0.boot += 1
        }
    }
}
