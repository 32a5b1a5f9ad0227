import Foundation

@testable import SyncCore
@testable import SyncServer

/// How one world went.
struct Run: Sendable {
    let failure: String?
    let trace: [String]

    init(_ schedule: Schedule, keepsTrace: Bool = false) {
        let world = World(schedule, keepsTrace: keepsTrace)
        do {
            try world.live()
            failure = nil
        } catch {
            failure = "\(error)"
        }
        trace = world.trace.lines
    }

    /// Runs many worlds; the failures by seed.
    static func many(_ seeds: Range<UInt64>) -> [(seed: UInt64, failure: String)] {
        seeds.compactMap { seed in
            Run(Wish.schedule(seed)).failure.map { (seed, $0) }
        }
    }
}

/// What the environment asks for.
enum Wish {
    /// The number of worlds; `Scripts/test` sets 4.
    static let seedCount = number("WAKE_SEEDS") ?? 50
    static let firstSeed = number("WAKE_FROM") ?? 0
    /// So many schedules of deliveries.
    static let scheduleCount = number("WAKE_SCHEDULES") ?? 20_000
    /// The one world that is wanted.
    static let seed = number("WAKE_SEED")
    /// Whether the shortest schedule of a failure is looked for.
    static let isShrinking = number("WAKE_SHRINK") != 0

    static func schedule(_ seed: UInt64) -> Schedule {
        let names = ProcessInfo.processInfo.environment["WAKE_ACCIDENTS"]
        let accidents = names.map { names in
            Set(Schedule.Accident.allCases.filter { names.contains($0.rawValue) })
        }
        let steps = number("WAKE_STEPS").map { Int($0) } ?? 200
        return Schedule(seed: seed, stepCount: steps, accidents: accidents)
    }

    private static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap(UInt64.init)
    }
}
