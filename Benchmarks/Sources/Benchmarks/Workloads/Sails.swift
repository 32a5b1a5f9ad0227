internal import SyncCore

/// Made-up sails, a point a second, after W2 of the measurements.
enum Sails {
    /// Time, position and altitude.
    static let place: [Channel] = [.time, .latitude, .longitude, .altitude]
    /// Those and what W2 adds.
    static let nine =
        place + [.speed, .headingMagnetic, .heel, .pitch, .heartRate]

    /// The samples of one sail.
    static func samples(seed: UInt64, count: Int, channels: [Channel]) -> [Sample] {
        let start = UnixTime(milliseconds: 1_750_000_000_000 + Int64(seed) * 86_400_000)
        return SyntheticSail(seed: seed, start: start, seconds: count).samples
            .map { $0.keeping(channels) }
    }

    /// Tracks as a file would hold them.
    static func tracks(_ count: Int, points: Int) -> [ImportedTrack] {
        (0..<count).map { track($0, points: points) }
    }

    /// One of them.
    static func track(_ index: Int, points: Int) -> ImportedTrack {
        ImportedTrack(
            name: "Sail \(index)",
            sport: "sailing",
            samples: samples(seed: UInt64(index), count: points, channels: nine)
        )
    }
}

extension Sample {
    /// The sample with no other channels than these.
    func keeping(_ channels: [Channel]) -> Sample {
        Sample(ascending: readings.filter { channels.contains($0.channel) })
    }
}

extension Device {
    /// Takes in tracks as those of a file.
    func `import`(_ tracks: [ImportedTrack]) async throws -> [Identifier] {
        var rows: [Identifier] = []
        for (place, track) in tracks.enumerated() {
            let row = try await replica.write {
                try $0.imports.insert(
                    track,
                    as: ImportName(file: Digest(of: Array(track.name.utf8)), place: place),
                    into: space,
                    now: now()
                )
            }
            rows.append(row.track)
        }
        return rows
    }
}
