internal import SyncCore

/// What a list of tracks asks of SQLite: no more for many than for one.
enum ListCounts {
    /// Measures all of it.
    static func counts() async throws -> [Count] {
        let device = try await Device(seed: 1)
        _ = try await device.import(Sails.tracks(1000, points: 10))
        let work = try await Work.of {
            let tracks = try await device.replica.read { try $0.tracks.all(in: device.space) }
            guard tracks.count == 1000 else { throw DeviceError.different("tracks") }
        }
        return [Count("statements, the list of 1,000 tracks", work.statements)]
    }
}
