@testable import SyncCore
@testable import SyncServer

extension World {
    /// In some worlds the server writes in the name of a device at the end, with a key of its own.
    ///
    /// The device must report a forgery. It must not take the set for one of a copy of itself.
    func checkForgeryIsTold() throws {
        guard schedule.seed % 4 == 2 else { return }
        let living = devices.filter { !$0.isGone && !$0.isKeptOut && $0.replica != nil }
        for victim in living {
            guard let space = try ownSpace(of: victim),
                let identity = try victim.run({ try await $0.read { try $0.identity.current() } }),
                let last = try server.newest(of: identity.replica, in: space)
            else { continue }
            trace.note("the server writes in the name of \(victim.name)")
            try forge(after: last.upload, for: victim, in: space)
            try victim.sync(with: server)
            let told = try victim.run { try await $0.read { try $0.breaches.all() } } ?? []
            guard told.contains(where: { $0.kind == .forgedHead }) else {
                throw fail("\(victim.name) does not report a forged head: \(told)")
            }
            return
        }
    }

    /// Appends a set to the replica of a device that the device never sealed.
    private func forge(
        after last: Upload,
        for device: SimulatedDevice,
        in space: Identifier
    ) throws {
        let keys = try device.run { replica in
            try await replica.read { (try $0.spaces.keys(of: space), try $0.identity.deviceKeys()) }
        }
        guard let (spaceKeys, deviceKeys) = keys else { return }
        let header = last.header
        let seal = Seal(
            space: space,
            device: header.device,
            replica: header.replica,
            sequence: header.sequence + 1,
            previous: last.hash,
            seen: header.seen
        )
        let stamp = Stamp(time: header.stamps.upperBound + 1, replica: header.replica)
        let key = Key(TrackField.collection, .id(Identifier(number: 1)), TrackField.notes)
        let change = Change(key: key, cell: Cell(stamp: stamp, value: .text("forged")))
        let sealed = try seal([change], space: spaceKeys, device: deviceKeys)
        let upload = try Upload(parsing: sealed.upload)
        let signature = SigningKey(seed: Secret(bytes: [UInt8](repeating: 66, count: 32))).sign([1])
        try server.put(upload, sealed.body, signature, in: space)
    }
}
