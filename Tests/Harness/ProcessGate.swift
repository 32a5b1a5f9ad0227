import Foundation
import Synchronization

/// Bounds how many tests run programs at once by the cores of this machine.
///
/// First come, first served: a test that needs much is not overtaken by those that need little.
final class ProcessGate: Sendable {
    /// How much of the machine a test takes.
    enum Load: Sendable {
        /// Little: its programs wait for pauses and time limits.
        case idle
        /// A core.
        case usual
        /// So much that no two of them run at once.
        case heavy
    }

    private struct State {
        var free: Int
        var waiting: [(permits: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private static let cores = ProcessInfo.processInfo.activeProcessorCount
    /// One permit more than cores, because a test is idle while it waits for its programs.
    private static let usual = ProcessGate(permits: cores + 1)
    private static let idle = ProcessGate(permits: 2 * cores)

    private let state: Mutex<State>

    private init(permits: Int) {
        state = Mutex(State(free: permits))
    }

    /// Runs `body` as soon as there is room for it.
    static func pass(_ load: Load, _ body: () async throws -> Void) async rethrows {
        switch load {
        case .idle: try await idle.pass(permits: 1, body)
        case .usual: try await usual.pass(permits: 1, body)
        case .heavy: try await usual.pass(permits: max(2, cores), body)
        }
    }

    private func pass(permits: Int, _ body: () async throws -> Void) async rethrows {
        await enter(permits)
        defer { leave(permits) }
        try await body()
    }

    private func enter(_ permits: Int) async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.waiting.isEmpty, state.free >= permits else {
                    state.waiting.append((permits, continuation))
                    return false
                }
                state.free -= permits
                return true
            }
            if isFree { continuation.resume() }
        }
    }

    private func leave(_ permits: Int) {
        let next = state.withLock { state in
            state.free += permits
            var next: [CheckedContinuation<Void, Never>] = []
            while let first = state.waiting.first, first.permits <= state.free {
                state.free -= first.permits
                next.append(state.waiting.removeFirst().continuation)
            }
            return next
        }
        for continuation in next { continuation.resume() }
    }
}
