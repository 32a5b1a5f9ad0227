import SimulatedDisk
@testable import SyncCore
@testable import SyncServer

extension World {
    /// An accident.
    func befall(_ kind: Schedule.Kind, _ random: inout SplitMix64) throws {
        let device = devices[Int.random(in: 0..<devices.count, using: &random)]
        switch kind {
        case .serverClock:
            let day: Int64 = 86_400_000
            server.clock.setOffset([-day, 0, 0, day][Int.random(in: 0..<4, using: &random)])
        case .serverKill: try restartServer(lostPower: Bool.random(using: &random))
        case .serverCrash: server.disk.arm(after: Int64.random(in: 0...40, using: &random))
        case .serverFullDisk:
            let room = Int64.random(in: 0...60_000, using: &random)
            server.disk.setRoom(Bool.random(using: &random) ? room : nil)
        case .serverFailingDisk:
            server.disk.failOnce(after: Int64.random(in: 0...40, using: &random))
        case .backup, .serverRestore, .serverRollback, .serverWipe:
            try loseHistory(kind, &random)
        case .wireBits: weather.flippedBit = [0, 30, 150][Int.random(in: 0..<3, using: &random)]
        case .fileBit where Int.random(in: 0..<3, using: &random) == 0:
            guard !server.hasFlippedBit else { return }
            server.hasFlippedBit = true
            flipBit(of: SimulatedServer.path, on: server.disk, &random)
        default:
            guard !device.isGone else { return }
            trace.note("  \(device.name)")
            try befall(kind, device, &random)
        }
    }

    private func befall(
        _ kind: Schedule.Kind,
        _ device: SimulatedDevice,
        _ random: inout SplitMix64
    ) throws {
        switch kind {
        case .clock: device.clock.setOffset(offset(of: device, &random))
        case .drift:
            let drifts: [Int64] = [0, 20, -100, 5_000, -30_000]
            device.clock.setDrift(drifts[Int.random(in: 0..<drifts.count, using: &random)])
        case .reboot:
            try restart(device, lostPower: true) { device.clock.reboot() }
        case .kill: try restart(device, lostPower: Bool.random(using: &random))
        case .crash:
            device.disk.arm(after: Int64.random(in: 0...30, using: &random))
            try work(.edit, on: device, &random)
            try work(Bool.random(using: &random) ? .recording : .sync, on: device, &random)
        case .fullDisk:
            let room = Int64.random(in: 0...40_000, using: &random)
            device.hasLittleRoom = Bool.random(using: &random)
            device.disk.setRoom(device.hasLittleRoom ? room : nil)
        case .failingDisk:
            device.hasFailed = true
            device.disk.failOnce(after: Int64.random(in: 0...20, using: &random))
        case .process:
            do {
                try device.toggleOther()
            } catch let error as DatabaseError where device.mayFail {
                trace.note("  another process cannot open it: \(error.code)")
            }
        case .fileBit:
            guard !device.hasFlippedBit else { return }
            device.hasFlippedBit = true
            flipBit(of: SimulatedDevice.path, on: device.disk, &random)
        case .lyingDisk: lie(device, Bool.random(using: &random))
        case .rejoin: try beginRejoining(device, seed: random.next())
        case .revoke: try revoke(device)
        default: try copy(kind, device, &random)
        }
    }

    /// Flips a bit of a database, which may be in use; another one could hit the same page.
    private func flipBit(of path: String, on disk: Disk, _ random: inout SplitMix64) {
        let place = disk.flipBit(of: path, using: &random)
        trace.note("  a bit of \(path) flips, in byte \(place ?? -1)")
    }

    private func offset(of device: SimulatedDevice, _ random: inout SplitMix64) -> Int64 {
        let hour: Int64 = 3_600_000
        let offsets = [
            0, 0, hour, -hour, 24 * hour, 24 * 365 * hour, 24 * 3652 * hour, -time.now, 1700,
        ]
        return offsets[Int.random(in: 0..<offsets.count, using: &random)]
    }

    /// From now on, or until now, the disk says that it wrote and did not.
    private func lie(_ device: SimulatedDevice, _ lies: Bool) {
        device.disk.setLying(lies)
        if lies, beforeLies[device.number] == nil {
            beforeLies[device.number] = expectations[device.number]
        }
    }

    /// Puts those on their feet again whose disks went off with them.
    func reviveAll(_ random: inout SplitMix64) throws {
        if server.hasFailed || !server.isUp {
            try restartServer(lostPower: Bool.random(using: &random))
        }
        for device in devices where device.disk.isOff && !device.isGone {
            try restart(device, lostPower: Bool.random(using: &random))
        }
    }

    private func kill(_ device: SimulatedDevice) throws {
        device.kill()
        guard device.disk.openCount == 0 else {
            throw fail("\(device.name) has ended and has files open")
        }
    }

    func restart(
        _ device: SimulatedDevice,
        lostPower: Bool,
        meanwhile: () -> Void = {}
    ) throws {
        trace.note("  \(device.name) goes down\(lostPower ? ", without power" : "")")
        try kill(device)
        // A disk that neither lied nor failed has all that it said it had.
        if lostPower, beforeLies[device.number] != nil || device.hasFailed {
            try destroying(device.disk) { device.disk.start(lostPower: true) }
        } else {
            device.disk.start(lostPower: lostPower)
        }
        if lostPower, let before = beforeLies.removeValue(forKey: device.number) {
            device.disk.setLying(false)
            expectations[device.number]?.mayBe(before)
        }
        meanwhile()
        try reopen(device)
    }

    /// Opens the replica; what was being recorded is packed, as the programs do when they start.
    private func reopen(_ device: SimulatedDevice) throws {
        do {
            try device.open()
        } catch let error as DatabaseError where device.mayFail {
            trace.note("  \(device.name) does not come up: \(error.code)")
            return
        }
        let now = device.clock.moment
        try attempt(on: device) {
            try await $0.write { try $0.recordings.packInterrupted(at: now) }
        }
    }

    func stopServer() throws {
        server.disk.cut()
        server.stop()
        jobs.drain()
        guard server.disk.openCount == 0 else { throw fail("the server ended and has files open") }
    }

    func restartServer(lostPower: Bool) throws {
        trace.note("  the server goes down\(lostPower ? ", without power" : "")")
        try stopServer()
        server.disk.start(lostPower: lostPower)
        do {
            try server.start()
        } catch let error as DatabaseError where schedule.accidents.contains(.disks) {
            trace.note("  the server does not come up: \(error.code)")
        }
    }
}

extension World {
    /// A copy of a device is made, put back, or begins to live; or the device is wiped.
    private func copy(
        _ kind: Schedule.Kind,
        _ device: SimulatedDevice,
        _ random: inout SplitMix64
    ) throws {
        switch kind {
        case .image:
            try forgetUsedLink(of: device)
            guard device.link == nil, images.count < 6 else { return }
            let image = Disk(copyOf: device.disk, seed: random.next())
            images.append((device.number, image, expectations[device.number] ?? Expectations()))
        case .restore: try restore(&random)
        case .clone:
            try forgetUsedLink(of: device)
            guard device.link == nil, devices.count < Self.deviceLimit else { return }
            let clone = SimulatedDevice(
                devices.count,
                of: device.person,
                image: device.disk,
                in: place(of: devices.count)
            )
            devices.append(clone)
            expectations[clone.number] = expectations[device.number]
            try reopen(clone)
        default: try wipe(device, &random)
        }
    }

    private func restore(_ random: inout SplitMix64) throws {
        guard !images.isEmpty else { return }
        let (number, image, owed) = images[Int.random(in: 0..<images.count, using: &random)]
        let device = devices[number]
        guard !device.isGone else { return }
        let withGuard = Bool.random(using: &random)
        trace.note("  \(device.name) restored\(withGuard ? " with its guard" : "")")
        try kill(device)
        let counter = withGuard ? nil : device.disk.content(of: SimulatedDevice.path + ".seals")
        device.disk.start(lostPower: false)
        try destroying(device.disk) { device.disk.take(filesOf: image) }
        if let counter { device.disk.write(counter, to: SimulatedDevice.path + ".seals") }
        device.disk.setLying(false)
        expectations[number] = owed
        beforeLies[number] = nil
        try reopen(device)
    }

    /// The app's data is gone; the person joins with a new device.
    private func wipe(_ device: SimulatedDevice, _ random: inout SplitMix64) throws {
        // Somebody keeps the key of the space, and will not find that they never had it.
        guard let sponsor = sponsor(besides: device), beforeLies[sponsor.number] == nil,
            device.link == nil, devices.count < Self.deviceLimit,
            let link = try link(from: sponsor, seed: random.next())
        else { return }
        try kill(device)
        device.disk.start(lostPower: false)
        try destroying(device.disk) { device.disk.erase() }
        device.isGone = true
        expectations[device.number] = Expectations()
        let fresh = try addDevice(of: device.person)
        fresh.link = link
    }
}
