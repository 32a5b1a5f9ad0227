internal import SyncCore

/// What it asks of SQLite to edit and to read a track of 100,000 points.
enum TrackEditCounts {
    /// Measures all of it.
    static func counts() async throws -> [Count] {
        let device = try await Device(seed: 1)
        let track = try await device.import([Sails.track(1, points: TrackEditings.pointCount)])[0]
        let editings = try await TrackEditings(of: track, on: device)
        var counts: [Count] = []
        try await editings.each { name, edit in
            let work = try await Work.of(edit)
            counts.append(Count("statements, \(name), 100,000 points", work.statements))
        }
        let reading = try await Work.of { try await device.read(track) }
        return counts + [Count("statements, reading 100,000 points once", reading.statements)]
    }
}

extension Device {
    /// Goes through the samples of a track as `tracks show` does.
    fileprivate func read(_ track: Identifier) async throws {
        let space = space
        let count = try await replica.read { replica in
            var cursor = try replica.tracks.batches(of: track, in: space).cursor
            var count = 0
            while try cursor.next() != nil { count += 1 }
            return count
        }
        guard count == TrackEditings.pointCount else { throw DeviceError.different("samples") }
    }
}
