internal import SyncCore

/// Edits of a track of 100,000 points in a library of a million more, each durable, beside a plain
/// durable commit.
enum TrackEditTimes {
    private static let trackCount = 1000
    private static let pointsPerTrack = 1000
    private static let rounds = 5

    /// Measures all of it.
    static func times() async throws -> [Time] {
        let device = try await Device(seed: 1)
        _ = try await device.import(Sails.tracks(trackCount, points: pointsPerTrack))
        var names: [String] = []
        var milliseconds: [String: [Double]] = [:]
        for round in 0..<rounds {
            // A new one each time: what a split that is undone leaves is made anew with every edit.
            let long = Sails.track(trackCount + round, points: TrackEditings.pointCount)
            let editings = try await TrackEditings(of: device.import([long])[0], on: device)
            try await editings.each { name, edit in
                let seconds = try await Stopwatch.seconds(edit)
                if milliseconds[name] == nil { names.append(name) }
                milliseconds[name, default: []].append(seconds * 1000)
            }
        }
        let commits = try EditTimes.updateRate(edits: 2000, editsPerCommit: 1)
        return names.map { name in
            Time(
                name: "\(name), of a track of 100,000 points",
                value: Stopwatch.median(milliseconds[name] ?? []),
                unit: "ms",
                floor: ("plain durable commit", 1000 / commits)
            )
        }
    }
}
