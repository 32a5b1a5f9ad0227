import Foundation

@testable import SyncCore
@testable import SyncServer

/// How one world went.
struct Run: Sendable {
    let failure: String?
    /// Of how many fields it was checked that the last write won.
    let orderedCount: Int
    let trace: [String]

    init(_ schedule: Schedule, keepsTrace: Bool = false) {
        let world = World(schedule, keepsTrace: keepsTrace)
        do {
            try world.live()
            failure = nil
        } catch {
            failure = "\(error)"
        }
        orderedCount = world.orderedCount
        trace = world.trace.lines
    }

    /// Runs many worlds; the failures by seed, and in how many worlds the order was checked.
    static func many(
        _ seeds: Range<UInt64>
    ) -> (failures: [(seed: UInt64, failure: String)], orderedCount: Int) {
        var (failures, orderedCount): ([(UInt64, String)], Int) = ([], 0)
        for seed in seeds {
            let run = Run(Wish.schedule(seed))
            if let failure = run.failure { failures.append((seed, failure)) }
            if run.orderedCount > 0 { orderedCount += 1 }
        }
        return (failures, orderedCount)
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

    /// Where the record of a world is wanted: of one in so many.
    static func recordFolder(of seed: UInt64) -> String? {
        let folder = ProcessInfo.processInfo.environment["WAKE_RECORDS"]
        return seed.isMultiple(of: 25) ? folder : nil
    }

    private static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap(UInt64.init)
    }
}
