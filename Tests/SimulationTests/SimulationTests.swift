import Testing

@testable import SyncCore

/// Fleets with their server, in one process under virtual time.
///
/// `WAKE_SEEDS` says how many, `WAKE_SEED` replays one.
@Suite(.serialized) struct SimulationTests {
    @Test func `whatever befalls a fleet, it is whole again after it has synced`() {
        let clock = ContinuousClock()
        let start = clock.now
        let (failures, orderedCount) = Run.many(
            Wish.firstSeed..<Wish.firstSeed + Wish.seedCount
        )
        print("simulation: " + Self.pace(Wish.seedCount, of: "seeds", in: clock.now - start))
        print("  order checked in \(orderedCount)")
        for (seed, failure) in failures { print("  seed \(seed): \(failure)") }
        #expect(failures.isEmpty, "\(failures.count) of \(Wish.seedCount) seeds failed")
        if Wish.seedCount >= 100 { #expect(orderedCount > Int(Wish.seedCount) / 10) }
        guard Wish.isShrinking, let (seed, failure) = failures.first else { return }
        Self.tell(seed, failure)
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `the same seed does the same`(seed: UInt64) {
        let runs = (0..<2).map { _ in Run(Schedule(seed: seed), keepsTrace: true) }
        #expect(runs[0].trace.count > 200)
        #expect(runs[0].trace == runs[1].trace)
    }

    @Test(.enabled(if: Wish.seed != nil, "need SEED=n")) func `one seed is replayed`() {
        guard let seed = Wish.seed else { return }
        let run = Run(Wish.schedule(seed), keepsTrace: true)
        for line in run.trace { print(line) }
        print(run.failure.map { "seed \(seed): \($0)" } ?? "seed \(seed): all is well")
        if let failure = run.failure, Wish.isShrinking { Self.tell(seed, failure) }
        #expect(run.failure == nil)
    }

    /// How many in how long, and each second.
    static func pace(_ count: UInt64, of what: String, in duration: Duration) -> String {
        let seconds = max(duration / .seconds(1), 0.1)
        let rounded = [seconds, Double(count) / seconds].map { ($0 * 10).rounded() / 10 }
        return "\(count) \(what) in \(rounded[0]) s, \(rounded[1]) a second"
    }

    /// The shortest schedule that fails alike.
    private static func tell(_ seed: UInt64, _ failure: String) {
        let shrunk = Wish.schedule(seed).shrunk(failing: failure)
        let run = Run(shrunk, keepsTrace: true)
        print("seed \(seed), shrunk to \(shrunk.steps.count) steps:")
        for line in run.trace { print("  " + line) }
        print("  \(run.failure ?? "")")
    }
}
