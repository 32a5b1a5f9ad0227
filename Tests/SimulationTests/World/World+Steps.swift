import SimulatedDisk
@testable import SyncCore
@testable import SyncServer

extension World {
    /// One step of the schedule.
    func perform(_ kind: Schedule.Kind, _ random: inout SplitMix64) throws {
        switch kind {
        case .edit, .settings, .recording, .importing, .trackEdit, .undo, .seal, .sync:
            let device = devices[Int.random(in: 0..<devices.count, using: &random)]
            trace.note("  \(device.name)")
            try work(kind, on: device, &random)
        case .pause:
            let hours = [1, 1, 10, 24 * 7, 24 * 400][Int.random(in: 0..<5, using: &random)]
            time.advance(by: Int64(hours) * 3_600_000)
        case .weather:
            weather = Bool.random(using: &random) ? .calm : .random(using: &random)
        case .enrol: try enrol(&random)
        default: try befall(kind, &random)
        }
    }

    func work(
        _ kind: Schedule.Kind,
        on device: SimulatedDevice,
        _ random: inout SplitMix64
    ) throws {
        switch kind {
        case .edit: try write(Workload.edits(of: device.number, &random), on: device)
        case .settings:
            guard
                let identity = try attempt(
                    on: device,
                    { try await $0.read { try $0.identity.current() } }
                ),
                identity.authority != nil
            else { return }
            let edit = Workload.setting(user: identity.user, device: identity.device, &random)
            try write([edit], on: device)
        case .recording: try record(on: device, &random)
        case .importing: try importFile(on: device, &random)
        case .trackEdit: try editTracks(on: device, &random)
        case .undo: try turn(on: device, &random)
        case .seal:
            let clock = device.clock
            try attempt(on: device) { try await $0.write { try $0.sealer.seal(at: clock.moment) } }
        default:
            if device.beginSync() { jobs.drain() }
        }
    }

    /// Runs a call that may fail where the disk does; nil where it did.
    @discardableResult
    func attempt<Value: Sendable>(
        on device: SimulatedDevice,
        _ body: @escaping @Sendable (Replica) async throws -> Value
    ) throws -> Value? {
        do {
            return try device.run(body)
        } catch let error as DatabaseError where device.mayFail {
            trace.note("  \(device.name) cannot: \(error.code)")
            return nil
        } catch ReplicaError.guardNotWritten where device.mayFail {
            trace.note("  \(device.name) cannot write its guard")
            return nil
        }
    }

    func ownSpace(of device: SimulatedDevice) throws -> Identifier? {
        try attempt(on: device) { try await $0.read { try $0.spaces.own() } }
    }

    /// Starts a recording, goes on with it, or ends it.
    private func record(on device: SimulatedDevice, _ random: inout SplitMix64) throws {
        guard device.replica != nil, let space = try ownSpace(of: device) else { return }
        let now = device.clock.moment
        guard let recording = device.recording else {
            device.recording = try attempt(on: device) {
                try await $0.write {
                    try $0.recordings.start(name: "Out", sport: "sailing", in: space, at: now)
                }
            }
            return
        }
        if Int.random(in: 0..<4, using: &random) == 0 {
            let end: Void? = try attempt(on: device) {
                try await $0.write { try $0.recordings.stop(recording, at: now) }
            }
            if end != nil { device.recording = nil }
            return
        }
        let count = Int.random(in: 1...20, using: &random)
        let samples = Workload.samples(count, of: device.number, &random)
        let after = try attempt(on: device) { replica in
            var recording = recording
            recording = try await replica.write { [recording] in
                try $0.recordings.append(samples, to: recording, at: now)
            }
            return recording
        }
        guard let after else { return }
        device.recording = after
        expectations[device.number, default: Expectations()].note(samples, of: recording.track)
    }

    private func importFile(on device: SimulatedDevice, _ random: inout SplitMix64) throws {
        guard device.replica != nil, let space = try ownSpace(of: device) else { return }
        let now = device.clock.moment
        let (file, original) = Workload.file(&random)
        let name = ImportName(file: original.digest, place: 0)
        // Whether files are kept is a setting.
        let use = Bool.random(using: &random) ? OriginalUse(original, holder: name.track) : nil
        let row = try attempt(on: device) {
            try await $0.write {
                try $0.imports.insert(
                    file,
                    as: name,
                    of: use,
                    into: space,
                    now: now
                )
            }
        }
        guard let row, row.isNew else { return }
        expectations[device.number, default: Expectations()].note(
            Array(file.samples),
            of: row.track
        )
    }

    private func enrol(_ random: inout SplitMix64) throws {
        guard devices.count < Self.deviceLimit else { return }
        let sponsors = devices.filter(isMember)
        guard !sponsors.isEmpty else { return }
        let sponsor = sponsors[Int.random(in: 0..<sponsors.count, using: &random)]
        guard let link = try link(from: sponsor, seed: random.next()) else { return }
        let device = try addDevice(of: sponsor.person)
        device.link = link
    }

    /// A link that a device makes; nil where the server is not well.
    func link(from sponsor: SimulatedDevice, seed: UInt64) throws -> Link? {
        let link = try? server.directly.flatMap { try sponsor.makeLink(over: $0, seed: seed) }
        if server.disk.isOff { try restartServer(lostPower: true) }
        return link
    }

    static let deviceLimit = 8
}

/// A cell's place in the space of one person.
struct Place: Hashable, Sendable {
    let person: Int
    let key: Key
}
