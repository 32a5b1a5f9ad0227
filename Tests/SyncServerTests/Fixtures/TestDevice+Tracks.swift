@testable import SyncCore

/// Tracks, as a recorder writes them.
extension TestDevice {
    /// Records a track into the own space and ends it; its points are nowhere else.
    @discardableResult
    func record(_ number: Int, samples count: Int) async throws -> Identifier {
        let recording = try await begin(number, samples: count, in: try await space())
        try await replica.write { try $0.recordings.stop(recording, at: moment) }
        return recording.track
    }

    /// Begins a track with points that are nowhere else.
    func begin(
        _ number: Int,
        samples count: Int,
        in space: Identifier
    ) async throws -> Recording {
        try await replica.write {
            let recording = try $0.recordings.start(
                name: "track \(number)",
                sport: nil,
                in: space,
                at: moment
            )
            return try $0.recordings.append(samples(number, count), to: recording, at: moment)
        }
    }

    /// Random points, one a second.
    func samples(_ seed: Int, _ count: Int) -> [Sample] {
        var random = SplitMix64(seed: UInt64(seed))
        return (0..<count).map { second in
            var sample = Sample(
                time: UnixTime(milliseconds: moment.wall.milliseconds + Int64(second) * 1000)
            )
            sample[.latitude] = Double.random(in: 52...53, using: &random)
            sample[.longitude] = Double.random(in: 5...6, using: &random)
            return sample
        }
    }
}
