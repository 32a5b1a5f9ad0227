import SyncCore

@testable import SyncServer

/// Answers with a closure, takes bodies up to a limit, and counts what was closed.
struct TestResponder: Responder {
    var bodyByteLimit = 8 << 20
    var judge: @Sendable (HTTPRequest) async throws -> Void = { _ in }
    let answer: @Sendable (HTTPRequest) async -> HTTPResponse
    let cuts = Locked<[Cut]>([])
    let sweeps = Locked(0)
    let refusals = Locked(0)

    func bodyByteLimit(of head: HTTPRequest) -> Int { bodyByteLimit }

    @concurrent func admit(_ head: HTTPRequest) async throws { try await judge(head) }

    @concurrent func respond(to request: HTTPRequest) async -> HTTPResponse {
        await answer(request)
    }

    func refuse(_ head: HTTPRequest?, _ error: any Error) -> HTTPResponse {
        refusals.withLock { $0 += 1 }
        return Problem.told(of: error).problem.response(instance: "test")
    }

    func note(_ cut: Cut, at listener: String) { cuts.withLock { $0.append(cut) } }

    func note(connectionCount: Int, at listener: String) { sweeps.withLock { $0 += 1 } }
}

extension Listener.Settings {
    /// A real clock, and limits of the test's own.
    static func test(
        _ limits: SyncServer.Limits = SyncServer.Limits()
    ) -> Listener.Settings {
        let start = ContinuousClock.now
        return unsafe Listener.Settings(
            limits: limits,
            uptime: { start.duration(to: .now) },
            now: { UnixTime(milliseconds: 784_111_777_000) }
        )
    }

    /// The usual limits, and a clock that the test moves.
    static func test(_ uptime: ManualUptime) -> Listener.Settings {
        var settings = test()
        settings.uptime = { uptime.now }
        return settings
    }
}

/// A clock that a test moves.
final class ManualUptime: Sendable {
    private let time = Locked(Duration.zero)

    var now: Duration { time.withLock { $0 } }

    func advance(by duration: Duration) {
        time.withLock { $0 += duration }
    }
}

extension Listener {
    /// A listener that answers with a closure.
    init(
        on loop: EventLoop,
        address: String,
        answer: @escaping @Sendable (HTTPRequest) async -> HTTPResponse
    ) async throws {
        try await self.init(
            on: loop,
            address: address,
            settings: .test(),
            responder: TestResponder(answer: answer)
        )
    }
}
