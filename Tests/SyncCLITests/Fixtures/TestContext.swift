import ProgramKit
import SyncCore
import Synchronization

@testable import SyncCLI

/// Collects what a program writes.
final class Recorder: Sendable {
    private let bytes = Mutex<[UInt8]>([])

    /// Adds bytes.
    @Sendable func write(_ more: [UInt8]) {
        bytes.withLock { $0 += more }
    }

    /// What was written since the last call.
    func take() -> String {
        bytes.withLock { bytes in
            defer { bytes = [] }
            return String(decoding: bytes, as: UTF8.self)
        }
    }
}

/// A clock that a test moves.
final class Hand: Sendable {
    private let time: Mutex<UnixTime>

    init(_ milliseconds: Int64) {
        time = Mutex(UnixTime(milliseconds: milliseconds))
    }

    @Sendable func now() -> UnixTime { time.withLock { $0 } }

    func advance(milliseconds: Int64) {
        time.withLock { $0.milliseconds += milliseconds }
    }
}

/// A context whose streams, clock and randomness belong to the test.
struct TestContext {
    let output = Recorder()
    let error = Recorder()
    /// 2026-05-01T09:30:00Z.
    let clock = Hand(1_777_627_800_000)
    var context: Context

    init(environment: [String: String] = [:], input: String = "") {
        let (output, error, clock) = (output, error, clock)
        let rest = Mutex(Array(input.utf8))
        context = Context(
            environment: environment,
            output: Output(of: "wake", write: output.write, writeError: error.write),
            input: {
                rest.withLock { rest in
                    defer { rest = [] }
                    return rest
                }
            },
            now: clock.now,
            uptimeMilliseconds: { clock.now().milliseconds },
            boot: { .zero },
            systemZone: { nil },
            hostName: { "testbed" },
            sleep: { clock.advance(milliseconds: Int64($0)) },
            transport: { authority, _ in NoNetwork(authority: authority) },
            random: .seeded(1),
            presenters: Wake.presenters
        )
    }
}

extension TestContext {
    /// After so many questions whether a person interrupted the program, one did.
    mutating func interrupt(after count: Int) {
        let asked = Mutex(0)
        context.catchInterrupts = {
            {
                asked.withLock { asked in
                    asked += 1
                    return asked > count
                }
            }
        }
    }
}

/// No server anywhere.
struct NoNetwork: Transport {
    let authority: String

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        throw TransportError.unreachable(authority: authority, reason: "connection refused")
    }
}

extension RandomSource {
    /// SplitMix64 from a seed; copies share their state.
    static func seeded(_ seed: UInt64) -> RandomSource {
        let state = Shared(seed)
        return RandomSource { state.next() }
    }

    private final class Shared: Sendable {
        private let state: Mutex<UInt64>

        init(_ seed: UInt64) {
            state = Mutex(seed)
        }

        func next() -> UInt64 {
            let mixed = state.withLock { state in
                state &+= 0x9E37_79B9_7F4A_7C15
                return state
            }
            let first = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
            let second = (first ^ first >> 27) &* 0x94D0_49BB_1331_11EB
            return second ^ second >> 31
        }
    }
}

extension Moment {
    /// What the clocks of a test show at a time: nobody ever set the wall clock.
    init(_ wall: UnixTime) {
        self.init(wall: wall, uptimeMilliseconds: wall.milliseconds, boot: .zero)
    }
}
