import SimulatedDisk
@testable import SyncCore
@testable import SyncServer

extension World {
    /// In some worlds one bit of a file is flipped at the end.
    ///
    /// The owner of the file is told of it, or it does no harm. Once people have followed the advice, all
    /// devices have everything, and so does a new one.
    func checkDamageHeals() throws {
        guard schedule.seed % 4 == 3, lost.isEmpty, !isRolledBack else { return }
        var random = SplitMix64(seed: schedule.seed ^ 0xb175)
        let before = try logs()
        switch Int.random(in: 0..<3, using: &random) {
        case 0: try damageServer(&random)
        case 1: try damageBackup(&random)
        default: try damageDevice(&random)
        }
        for person in 0..<schedule.personCount { try letIn(person, seed: random.next()) }
        try comeToRest()
        // Some damage shows only in what comes later.
        for device in living where device.isDamaged {
            guard let fault = try repairedFault(of: device) else { continue }
            trace.note("\(device.name) found later: \(fault)")
            try replace(device, seed: random.next())
            try comeToRest()
        }
        try checkEverything()
        let after = try logs()
        for (space, log) in before {
            for (key, cell) in log.cells
            where key.field != TrackField.status && after[space]?.cells[key]?.value != cell.value {
                throw fail("the flipped bit changed \(key)")
            }
        }
    }

    /// Flips one bit of a database: of its file, or of a value in one of its tables.
    private func flipBit(of path: String, on disk: Disk, _ random: inout SplitMix64) throws {
        let database = try Database(path: path, on: disk.volume(for: jobs), isShared: true)
        let value =
            Bool.random(using: &random) ? try database.flipValue(using: &random) : nil
        // In the log of changes a flipped bit would do no harm: SQLite has a sum of each page there.
        try database.run("PRAGMA wal_checkpoint(TRUNCATE)")
        if let value { return trace.note("a bit of \(path) flips, in \(value)") }
        let place = disk.flipBit(of: path, using: &random)
        trace.note("a bit of \(path) flips, in byte \(place ?? -1)")
    }

    /// What each person's space has, in the order of the persons.
    private func logs() throws -> [Identifier: ServerLog] {
        var logs: [Identifier: ServerLog] = [:]
        for device in living {
            guard let space = try ownSpace(of: device), logs[space] == nil else { continue }
            let (page, keys) = try readPage(of: space, with: device)
            logs[space] = try ServerLog(page, keys: keys, space: space, lost: lost.sets)
        }
        return logs
    }

    private var living: [SimulatedDevice] {
        devices.filter { !$0.isGone && !$0.isKeptOut && $0.replica != nil }
    }

    private func letIn(_ person: Int, seed: UInt64) throws {
        guard let sponsor = devices.first(where: { $0.person == person && isMember($0) }),
            let link = try link(from: sponsor, seed: seed)
        else { return }
        try addDevice(of: person).link = link
    }
}

/// A server with a flipped bit.
extension World {
    private func damageServer(_ random: inout SplitMix64) throws {
        try stopServer()
        server.disk.start(lostPower: false)
        try flipBit(of: SimulatedServer.path, on: server.disk, &random)
        let isUp = (try? server.start()) != nil
        if isUp {
            for device in living { _ = try? device.sync(with: server) }
        }
        let found = isUp ? try doctorsFindings() : ["it does not start"]
        trace.note("  found: \(found.first ?? "nothing")")
        guard !found.isEmpty else { return }
        // Until its operator looks, it may fail wherever it meets the damage.
        server.faults.withLock { $0 = [] }
        if try !isRepaired(found) { try emptyStore() }
    }

    /// Has the doctor repair what it can and the devices sync; returns whether nothing is wrong then.
    private func isRepaired(_ found: [String]) throws -> Bool {
        guard let store = server.store,
            try jobs.run({ try await store.readSnapshot { try $0.structureFaults() } }).isEmpty
        else { return false }
        let (entries, heads) = try jobs.run {
            (try await store.repairLogs(), try await store.restoreHeads())
        }
        trace.note("  the doctor repairs \(entries) entries and reads \(heads) records again")
        for device in living { _ = try? device.sync(with: server) }
        return try doctorsFindings().isEmpty
    }

    /// What `wake-server restore` does with a backup that has a flipped bit.
    private func damageBackup(_ random: inout SplitMix64) throws {
        let backup = Disk(copyOf: server.disk, seed: random.next())
        try flipBit(of: SimulatedServer.path, on: backup, &random)
        let intact = Disk(copyOf: server.disk, seed: random.next())
        try putInPlace(backup)
        guard try !server.isUp || !doctorsFindings().isEmpty else { return }
        trace.note("  found, and not restored")
        try putInPlace(intact)
    }

    private func putInPlace(_ backup: Disk) throws {
        try stopServer()
        server.disk.start(lostPower: false)
        server.disk.take(filesOf: backup)
        do {
            try server.start(isAnother: true)
        } catch is DatabaseError {
            trace.note("  the server does not come up")
        }
    }

    private func emptyStore() throws {
        trace.note("  the operator begins with an empty store")
        losesHistory = true
        if server.isUp { try stopServer() }
        server.disk.start(lostPower: false)
        server.disk.erase()
        try server.start(isAnother: true)
    }

    /// What `wake-server doctor` finds.
    private func doctorsFindings() throws -> [String] {
        guard let store = server.store else { throw fail("the server is down") }
        let keys = server.keys
        do {
            return try jobs.run {
                try await store.readSnapshot {
                    let waiting = try $0.controlCounts().filter(\.isWaiting)
                    return try Inspection(of: $0, keys: keys).findings.words
                        + waiting.map { "space \($0.space) waits for \($0.lacking) control sets" }
                }
            }
        } catch {
            return ["\(error)"]
        }
    }
}

/// A device with a flipped bit.
extension World {
    private func damageDevice(_ random: inout SplitMix64) throws {
        let candidates = living.filter { sponsor(besides: $0) != nil && $0.link == nil }
        guard !candidates.isEmpty else { return }
        let device = candidates[Int.random(in: 0..<candidates.count, using: &random)]
        device.kill()
        device.disk.start(lostPower: false)
        trace.note("\(device.name)")
        try flipBit(of: SimulatedDevice.path, on: device.disk, &random)
        let found = try use(device)
        trace.note("  found: \(found ?? "nothing")")
        device.isDamaged = true
        if found != nil { try replace(device, seed: random.next()) }
    }

    /// A person begins anew, because nothing else helps.
    private func replace(_ device: SimulatedDevice, seed: UInt64) throws {
        guard let sponsor = sponsor(besides: device), let link = try link(from: sponsor, seed: seed)
        else { throw fail("nobody can let \(device.name) in again") }
        device.kill()
        device.disk.start(lostPower: false)
        device.disk.erase()
        device.isGone = true
        expectations[device.number] = Expectations()
        try addDevice(of: device.person).link = link
    }

    /// Writes something on a device, and has its doctor repair it; returns what is wrong
    /// then, or nil.
    private func use(_ device: SimulatedDevice) throws -> String? {
        do {
            try device.open()
            let clock = device.clock
            let edit = Edit(
                Key(TrackField.collection, .id(Identifier(number: 99)), TrackField.notes),
                .text("after the damage")
            )
            _ = try device.run { replica in
                try await replica.write {
                    try $0.rows.write([edit], in: $0.spaces.own(), at: clock.moment)
                }
            }
            expectations[device.number, default: Expectations()].note(edit.value, at: edit.key)
            guard try device.sync(with: server)?.end == .complete else { return "no sync" }
            return try repairedFault(of: device)
        } catch {
            return "\(error)"
        }
    }

    private func repairedFault(of device: SimulatedDevice) throws -> String? {
        let now = device.clock.moment.wall
        _ = try device.run { try await $0.write { try $0.repairs.repair(at: now) } }
        guard try device.sync(with: server)?.end == .complete else { return "no sync" }
        return try device.run { replica in
            let damage = try await replica.read { try $0.maintenance.integrityFaults() }
            let faults = try await replica.read { try $0.maintenance.verify() }.faults
            return (damage + faults).first
        } ?? "it is not there"
    }
}
