internal import Glibc

extension Replica {
    /// Creates a replica from the readable data of a damaged one, whose files are not changed.
    ///
    /// The new replica is a restored copy. It has a new replica id and an empty base. All salvaged
    /// cells are in the overlay until the next sync brings the log again. If nothing of a replica
    /// is found, throws ``ReplicaError/missing`` and leaves no files behind.
    package static func salvage(
        from damaged: String,
        to path: String,
        at now: UnixTime,
        using generator: inout some RandomNumberGenerator
    ) async throws -> Salvage {
        try create(at: path, name: "salvaged", now: now, using: &generator)
        do {
            let replica = try Replica(path: path)
            return try await replica.write { try $0.salvager.fill(from: damaged, at: now) }
        } catch {
            for suffix in ["", "-wal", "-shm", "-end", ".checked"] { unsafe unlink(path + suffix) }
            throw error
        }
    }
}
