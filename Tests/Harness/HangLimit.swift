package import Testing

/// Fails a test that hangs, and says what it was waiting for.
///
/// This is the only time limit of the tests, and it catches hangs alone: it is far longer than a
/// test takes on a slow machine beside other work. Time in a queue does not count.
package struct HangLimit: TestTrait, SuiteTrait, TestScoping {
    /// How many tests of this kind may run at once; nil for any number.
    let load: ProcessGate.Load?

    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        guard let load else { return try await watch(test, function) }
        try await ProcessGate.pass(load) { try await watch(test, function) }
    }

    private func watch(
        _ test: Test,
        _ function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        let watched = WatchedTest(name: test.displayName ?? test.name)
        let began = ContinuousClock.now
        HangWatch.shared.begin(watched)
        defer {
            HangWatch.shared.end(watched)
            // For who looks for slow tests: the time that Swift Testing tells has the queue in it.
            print("took \(began.duration(to: .now)): \(watched.name)")
        }
        do {
            try await WatchedTest.$current.withValue(watched, operation: function)
        } catch {
            // A test that was killed fails for this reason before any other.
            guard watched.hang != nil else { throw error }
        }
        if let hang = watched.hang {
            Issue.record("\(hang)", sourceLocation: test.sourceLocation)
        }
    }
}

extension Trait where Self == HangLimit {
    /// For tests that wait for sockets, threads or signals within this process.
    package static var hangLimit: HangLimit { HangLimit(load: nil) }

    /// For tests that start programs: no more of them run at once than the machine has cores for.
    package static var processes: HangLimit { HangLimit(load: .usual) }

    /// For tests of programs that mostly wait for pauses and time limits: more of them run at once.
    package static var idleProcesses: HangLimit { HangLimit(load: .idle) }

    /// For tests that start many programs or measure one: these run one at a time.
    package static var manyProcesses: HangLimit { HangLimit(load: .heavy) }
}
