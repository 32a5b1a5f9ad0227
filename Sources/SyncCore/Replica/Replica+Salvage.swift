internal import Glibc

extension Replica {
    /// Makes a replica of what can be read of a damaged one, whose files are only read.
    ///
    /// The new one is a restored copy: it has a replica id of its own, its base is empty, and what
    /// is known lies over it until the next sync brings the log again. Throws
    /// ``ReplicaError/missing`` where nothing of a replica is found; then nothing is left behind.
    package static func salvage(
        from damaged: String,
        to path: String,
        at now: UnixTime,
        using generator: inout some RandomNumberGenerator
    ) async throws -> Salvage {
        try create(at: path, name: "salvaged", using: &generator)
        do {
            let replica = try Replica(path: path)
            return try await replica.write { try $0.salvager.fill(from: damaged, at: now) }
        } catch {
            for suffix in ["", "-wal", "-shm", ".checked"] { unsafe unlink(path + suffix) }
            throw error
        }
    }
}
