internal import SyncCore

/// What an export asks of SQLite, and what it writes, for each format.
enum ExportCounts {
    private static let pointCount = 20_000

    /// Measures all of it.
    static func counts() async throws -> [Count] {
        let device = try await Device(seed: 1)
        _ = try await device.import([Sails.track(1, points: pointCount)])
        let tracks = try await device.replica.read { try $0.tracks.all(in: device.space) }
        var counts: [Count] = []
        for format in ExportFormat.allCases {
            var byteCount = 0
            let work = try await Work.of {
                byteCount = try await device.byteCount(of: tracks, as: format)
            }
            let name = format.rawValue
            let bytes = Double(byteCount) / Double(pointCount)
            counts += [
                Count("statements, a track of 20,000 points as \(name)", work.statements),
                Count("bytes a point with nine channels, as \(name)", bytes),
            ]
        }
        return counts
    }
}

extension Device {
    /// Exports tracks to nowhere; how many bytes that are.
    fileprivate func byteCount(of tracks: [Track], as format: ExportFormat) async throws -> Int {
        let space = space
        return try await replica.read { replica in
            var byteCount = 0
            var writer = format.writer(trackCount: tracks.count) { byteCount += $0.count }
            for track in tracks { try writer.write(replica.tracks.exported(track, in: space)) }
            try writer.finish()
            return byteCount
        }
    }
}
