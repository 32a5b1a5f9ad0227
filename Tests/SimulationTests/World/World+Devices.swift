import SimulatedDisk
@testable import SyncCore
@testable import SyncServer

extension World {
    /// Whether a device can let another one in.
    func isMember(_ device: SimulatedDevice) -> Bool {
        device.link == nil && isJoined(device) && !isRevoked(device)
    }

    private func isJoined(_ device: SimulatedDevice) -> Bool {
        let identity = try? device.run { try await $0.read { try $0.identity.current() } }
        return identity?.authority != nil
    }

    /// Another device of the same person that can let this one in.
    func sponsor(besides device: SimulatedDevice) -> SimulatedDevice? {
        devices.first { $0.person == device.person && $0 !== device && isMember($0) }
    }

    /// Whether the server keeps a device out for good.
    private func isRevoked(_ device: SimulatedDevice) -> Bool {
        guard let identity = try? device.run({ try await $0.read { try $0.identity.current() } })
        else { return false }
        return server.revoked.withLock { $0.contains(identity.device) }
    }

    /// Another device of the same person takes a device's right to sync away, and so that of its
    /// clones.
    func revoke(_ device: SimulatedDevice) throws {
        guard isMember(device), let sponsor = sponsor(besides: device),
            let own = try attempt(
                on: device,
                { try await $0.read { try $0.identity.current() }.device }
            ),
            let other = try attempt(
                on: sponsor,
                { try await $0.read { try $0.identity.current() }.device }
            ), own != other
        else { return }
        let isDone = (try? server.directly.map { try sponsor.revoke(own, over: $0) }) ?? false
        trace.note("  \(isDone ? "revoked" : "not revoked") by \(sponsor.name)")
        if server.disk.isOff { try restartServer(lostPower: true) }
    }

    /// From its next sync on, a database is another device of its person.
    func beginRejoining(_ device: SimulatedDevice, seed: UInt64) throws {
        // The one before may have come through.
        try forgetUsedLink(of: device)
        guard device.link == nil, device.session == nil, let sponsor = sponsor(besides: device),
            let link = try link(from: sponsor, seed: seed)
        else { return }
        try beginRejoining(device, by: .link(link))
    }

    private func beginRejoining(
        _ device: SimulatedDevice,
        by door: SimulatedDevice.Door
    ) throws {
        guard
            let identity = try attempt(
                on: device,
                { try await $0.read { try $0.identity.current() } }
            ),
            identity.authority != nil
        else { return }
        device.rejoining = SimulatedDevice.Rejoining(door: door, before: identity.device)
    }

    /// Whom the server keeps out joins again, with everything that is there; who only wished to, and
    /// has a link that is good no more, stays what it is.
    func letBackIn(_ device: SimulatedDevice) throws {
        try forgetUsedLink(of: device)
        // A database that went back to before it joined joins as any other.
        guard isJoined(device), isRevoked(device) || device.isKeptOut else {
            return device.rejoining = nil
        }
        guard sponsor(besides: device) != nil else {
            // A person who has lost every device still has the code on paper.
            return try beginRejoining(device, by: .code(device.code))
        }
        try beginRejoining(
            device,
            seed: UInt64(time.now) &+ place(of: device.number).seed << 20 | 1
        )
    }
}
