import Foundation
import Synchronization

/// A test that is running, with the processes that it started and what it waits for.
package final class WatchedTest: Sendable {
    /// The test that runs in this task; nil outside of tests with a ``HangLimit``.
    @TaskLocal package static var current: WatchedTest?

    private struct State {
        var waits: [Int: String] = [:]
        var nextWait = 0
        var processes: [WeakProcess] = []
        var hang: String?
    }

    private struct WeakProcess {
        weak var process: SpawnedProcess?
    }

    let name: String
    private let state = Mutex(State())

    init(name: String) {
        self.name = name
    }

    /// Why the test was ended; nil unless it hung.
    var hang: String? { state.withLock { $0.hang } }

    /// Notes what the test waits for while `body` runs.
    fileprivate func wait<Value>(
        for what: String,
        _ body: () async throws -> Value
    ) async rethrows -> Value {
        let number = state.withLock { state in
            state.nextWait += 1
            state.waits[state.nextWait] = what
            return state.nextWait
        }
        defer { state.withLock { $0.waits[number] = nil } }
        return try await body()
    }

    /// Registers a process, which is killed if the test hangs or hung already.
    func adopt(_ process: SpawnedProcess) {
        let hasHung = state.withLock { state in
            state.processes.removeAll { $0.process == nil }
            state.processes.append(WeakProcess(process: process))
            return state.hang != nil
        }
        if hasHung { process.send(SIGKILL) }
    }

    /// Kills the processes of the test.
    fileprivate func killProcesses() {
        for process in state.withLock({ $0.processes.compactMap(\.process) }) {
            process.send(SIGKILL)
        }
    }

    /// Kills the processes of the test, so that its waits end, and returns why.
    fileprivate func end(after limit: Duration) -> String {
        let hang = state.withLock { state in
            let waits = state.waits.sorted { $0.key < $1.key }.map { "\n  \($0.value)" }
            let hang = """
                "\(name)" hung: after \(limit) \
                \(waits.isEmpty ? "no wait was registered" : "it was waiting for" + waits.joined())
                """
            state.hang = hang
            return hang
        }
        killProcesses()
        return hang
    }
}

/// Ends tests that exceed the limit.
///
/// Runs on its own thread, because a hanging test may block every Swift thread.
final class HangWatch: Sendable {
    static let shared = HangWatch()

    /// How long a test may go on while no other one ends; `WAKE_HANG_MINUTES` is higher under a sanitizer.
    private static let limit = Duration.seconds(60 * (Rounds.number("WAKE_HANG_MINUTES") ?? 10))
    /// How long a test may take to end once its processes were killed.
    private static let grace = Duration.seconds(60)

    private struct Entry {
        let test: WatchedTest
        var deadline: ContinuousClock.Instant
        var isEnded = false
    }

    private struct State {
        var entries: [ObjectIdentifier: Entry] = [:]
        var isStarted = false
    }

    private let state = Mutex(State())

    func begin(_ test: WatchedTest) {
        let isFirst = state.withLock { state in
            let entry = Entry(test: test, deadline: .now + Self.limit)
            state.entries[ObjectIdentifier(test)] = entry
            defer { state.isStarted = true }
            return !state.isStarted
        }
        guard isFirst else { return }
        Thread.detachNewThread {
            while true {
                Thread.sleep(forTimeInterval: 1)
                self.look(at: .now)
            }
        }
    }

    /// Gives the other tests their whole limit again: on a busy machine all run at once and take turns, so
    /// one may take as long as all of them.
    func end(_ test: WatchedTest) {
        state.withLock { state in
            state.entries[ObjectIdentifier(test)] = nil
            for (id, entry) in state.entries where !entry.isEnded {
                state.entries[id]?.deadline = .now + Self.limit
            }
        }
    }

    private func look(at now: ContinuousClock.Instant) {
        let entries = state.withLock { Array($0.entries.values) }
        for entry in entries where entry.deadline < now {
            if !entry.isEnded {
                state.withLock { $0.entries[ObjectIdentifier(entry.test)]?.isEnded = true }
                say(entry.test.end(after: Self.limit))
            } else if entry.deadline + Self.grace < now {
                say("\"\(entry.test.name)\" still runs without its processes; the test run ends")
                for entry in entries { entry.test.killProcesses() }
                exit(EXIT_FAILURE)
            }
        }
    }

    private func say(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data("hang limit: \(text)\n".utf8))
    }
}

/// Waits for what `body` returns; a test that hangs here says that it waited for `what`.
package func awaiting<Value>(
    _ what: @autoclosure () -> String,
    _ body: () async throws -> Value
) async rethrows -> Value {
    guard let test = WatchedTest.current else { return try await body() }
    return try await test.wait(for: what(), body)
}

/// Waits until a condition holds, however long that takes; asks every `pause`.
package func until(
    _ what: @autoclosure () -> String,
    every pause: Duration = .milliseconds(5),
    _ condition: () async throws -> Bool
) async throws {
    try await awaiting(what()) {
        while try await !condition() {
            guard WatchedTest.current?.hang == nil else { throw CancellationError() }
            try await Task.sleep(for: pause)
        }
    }
}
