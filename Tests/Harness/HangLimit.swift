// A build of the programs for release has no Testing, and builds this target all the same.
#if canImport(Testing)
package import Testing

/// Fails a test that hangs, and says what it was waiting for.
///
/// The limit is far longer than a test takes on a slow machine beside other work, and begins anew when
/// another test ends. The time that a test waits for its turn does not count. Tests without a limit of their own are covered by
/// `Scripts/test`, which ends a process of tests that reports nothing for a long time.
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
            // For finding slow tests: the duration that Swift Testing prints includes the wait for a
            // permit.
            print("took \(began.duration(to: .now)): \(watched.name)")
        }
        do {
            try await WatchedTest.$current.withValue(watched, operation: function)
        } catch {
            // Errors after the hang only follow from the killed processes.
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

    /// For tests that start programs: at most one more of them runs at once than there are cores.
    package static var processes: HangLimit { HangLimit(load: .usual) }

    /// For tests of programs that mostly wait for pauses and time limits: twice as many as there are
    /// cores run at once.
    package static var idleProcesses: HangLimit { HangLimit(load: .idle) }

    /// For tests that start many programs or measure one: these run one at a time.
    package static var manyProcesses: HangLimit { HangLimit(load: .heavy) }
}

extension Trait where Self == ConditionTrait {
    /// For a test that takes long even once: it runs with `WAKE_ROUNDS` above 1.
    package static var nightly: ConditionTrait {
        .enabled(if: Rounds.isNight, "need WAKE_ROUNDS above 1")
    }
}
#endif
