import SimulatedDisk
@testable import SyncCore
@testable import SyncServer

extension World {
    /// The operator copies the store, or puts another one in its place.
    func loseHistory(_ kind: Schedule.Kind, _ random: inout SplitMix64) throws {
        switch kind {
        case .backup:
            guard server.isUp, !server.disk.isOff, backups.count < 4 else { return }
            backups.append(Disk(copyOf: server.disk, seed: random.next()))
        case .serverWipe:
            try replaceStore(isAnother: true) { $0.erase() }
        default:
            guard !backups.isEmpty else { return }
            let backup = backups[Int.random(in: 0..<backups.count, using: &random)]
            // A view may be newer than the store, or gone.
            if kind == .serverRollback { isRolledBack = true }
            let prefix = ["", "store", "store"][Int.random(in: 0..<3, using: &random)]
            try replaceStore(isAnother: kind == .serverRestore) { disk in
                disk.take(filesOf: backup, named: prefix)
            }
        }
    }

    /// The operator notes a revocation that devices know, and begins with an empty store.
    ///
    /// The log shows what the device did before, which these devices cannot tell from a takeover.
    func shutOut(_ device: Identifier) throws {
        trace.note("  the operator shuts \(device) out")
        server.revoked.withLock { $0.append(device) }
        try replaceStore(isAnother: true) { $0.erase() }
    }

    /// - Parameter isAnother: whether the operator says so, as `restore` does.
    private func replaceStore(isAnother: Bool, _ replace: (Disk) -> Void) throws {
        try stopServer()
        server.disk.start(lostPower: false)
        server.disk.setRoom(nil)
        server.disk.failOnce(after: -1)
        try destroying(server.disk) { replace(server.disk) }
        try server.start(isAnother: isAnother)
    }

    /// Destroys some of what is on a disk, and notes what nobody has any more.
    func destroying(_ disk: Disk, _ destroy: () -> Void) throws {
        guard losesHistory else { return destroy() }
        var before = try holdings(on: disk)
        destroy()
        let others = [disk, server.disk] + devices.filter { !$0.isGone }.map(\.disk)
        for other in others where !before.isEmpty { before.subtract(try holdings(on: other)) }
        if !before.isEmpty {
            trace.note("  nobody has \(before.sets.count) sets, \(before.chunks.count) chunks")
        }
        lost.formUnion(before)
    }

    private func holdings(on disk: Disk) throws -> Holdings {
        let path = disk === server.disk ? SimulatedServer.path : SimulatedDevice.path
        guard disk.contains(path) else { return Holdings() }
        // A copy can be read whatever is wrong with the disk, and reading changes nothing.
        let copy = Disk(copyOf: disk, seed: 0)
        return try withExtendedLifetime(copy) {
            let database = try Database(path: path, on: copy.volume(for: jobs), isShared: true)
            return try disk === server.disk
                ? Holdings(store: database) : Holdings(replica: database)
        }
    }
}
