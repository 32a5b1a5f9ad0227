import SimulatedDisk
@testable import SyncCore
@testable import SyncServer

/// A fleet and its server in one thread, and everything that befalls them.
final class World {
    let schedule: Schedule
    let jobs = Jobs()
    let time = TrueTime()
    let network = Network()
    let server: SimulatedServer
    var devices: [SimulatedDevice] = []
    var weather = Weather.calm
    /// What each database owes, by the device's number.
    var expectations: [Int: Expectations] = [:]
    /// Copies of devices that people made.
    var images: [(device: Int, image: Disk, expectations: Expectations)] = []
    /// Copies of the server that its operator made.
    var backups: [Disk] = []
    /// What nobody has any more.
    var lost = Holdings()
    /// Whether the server may have gone back without a new epoch: a file was put back, or its disk
    /// failed.
    var isRolledBack = false
    /// Whether the server lost its log or a part of it, which the devices bring back.
    var losesHistory: Bool
    /// What a lying disk may have forgotten.
    var beforeLies: [Int: Expectations] = [:]
    /// What people wrote, with its true time.
    var writes: [Place: [DatedWrite]] = [:]
    /// Of how many fields it was checked that the last write won.
    var orderedCount = 0
    var told = Told()
    var trace: Trace

    init(_ schedule: Schedule, keepsTrace: Bool) {
        self.schedule = schedule
        losesHistory = schedule.accidents.contains(.history)
        trace = Trace(isKept: keepsTrace)
        server = SimulatedServer(
            jobs,
            SimulatedClock(time, boot: 0),
            template: Templates.server,
            seed: schedule.seed ^ 0x5e17e7
        )
    }

    /// Whether the last write by true time wins.
    ///
    /// The server's clock was always right. A database that went back, or is on another machine,
    /// does not know what its server had told of the time, so then all clocks must be right.
    var isOrdered: Bool {
        guard server.clock.isRight else { return false }
        return schedule.accidents.isDisjoint(with: [.copies, .disks])
            || devices.allSatisfy(\.clock.isRight)
    }

    func fail(_ what: String) -> Failure { Failure(what: what) }

    struct Failure: Error, CustomStringConvertible {
        let what: String
        var description: String { what }
    }
}

/// What happened, for people.
struct Trace {
    let isKept: Bool
    private(set) var lines: [String] = []

    init(isKept: Bool) {
        self.isKept = isKept
    }

    mutating func note(_ line: @autoclosure () -> String) {
        if isKept { lines.append(line()) }
    }
}

extension World {
    /// Lives through the schedule, comes to rest, and checks what is left.
    func live() throws {
        try jobs.own {
            defer { end() }
            try begin()
            for (number, step) in schedule.steps.enumerated() {
                var random = SplitMix64(seed: step.seed)
                time.advance(by: Int64.random(in: 1...1500, using: &random))
                trace.note("\(number) \(step.kind.rawValue)")
                try perform(step.kind, &random)
                try deliver(Int.random(in: 0...6, using: &random), &random)
                try collectSessions()
                try reviveAll(&random)
            }
            trace.note("quiescence")
            try comeToRest()
            try checkEverything()
            if let folder = Wish.recordFolder(of: schedule.seed) { try writeRecord(into: folder) }
            try checkForkIsTold()
            try checkLiesAreTold()
            try checkCodeRestores()
            try checkForgeryIsTold()
            try checkDamageHeals()
        }
    }

    /// The server, and one device of each person that has joined and synced.
    private func begin() throws {
        try server.start(isAnother: true)
        for person in 0..<schedule.personCount {
            let device = try addDevice(of: person)
            device.link = try server.invite(named: "p\(person)")
            try syncAlone(device)
        }
        while devices.count < schedule.deviceCount {
            let person = devices.count % schedule.personCount
            let device = try addDevice(of: person)
            guard let sponsor = devices.first(where: { $0.person == person && $0 !== device }),
                let link = try link(from: sponsor, seed: place(of: device.number).seed)
            else { throw fail("nobody can let a device in") }
            device.link = link
        }
    }

    /// Lets go of everything, whatever state it is in.
    private func end() {
        for device in devices { device.kill() }
        server.stop()
        jobs.drain()
    }

    func addDevice(of person: Int) throws -> SimulatedDevice {
        let number = devices.count
        let device = SimulatedDevice(
            number,
            of: person,
            image: try Templates.device(number),
            in: place(of: number)
        )
        devices.append(device)
        expectations[number] = Expectations()
        try device.open()
        return device
    }

    func place(of number: Int) -> SimulatedDevice.Place {
        SimulatedDevice.Place(
            jobs: jobs,
            time: time,
            network: network,
            seed: schedule.seed &* 1000 &+ UInt64(number)
        )
    }
}

/// Disks of new devices, made once: a schema takes longer than the life of a small world.
enum Templates {
    /// A store that knows nobody.
    static let server: Disk = {
        let disk = Disk(seed: 0)
        try? SQLiteStore.migrations.migrate(
            try Database(path: SimulatedServer.path, on: disk.volume(for: Jobs()), isShared: true)
        )
        return disk
    }()

    private static let made = Locked<[Int: Disk]>([:])

    static func device(_ number: Int) throws -> Disk {
        try made.withLock { made in
            if let disk = made[number] { return disk }
            let disk = Disk(seed: UInt64(number))
            var random = SplitMix64(seed: UInt64(number) ^ 0xde71ce)
            try Replica.create(
                at: SimulatedDevice.path,
                on: disk.volume(for: Jobs()),
                name: "d\(number)",
                now: UnixTime(milliseconds: 0),
                using: &random
            )
            made[number] = disk
            return disk
        }
    }
}
