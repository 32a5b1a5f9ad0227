internal import SyncCore

/// Bytes a point, as chunks are stored and sent.
enum ChunkCounts {
    private static let recording = "gpx/mtk_logger_m241_multiple_tracks.gpx"

    /// Measures all of it.
    static func counts() throws -> [Count] {
        let recorded = try Folder.recording(recording).map {
            try RecordingFormat.gpx.read($0).tracks
        }
        let madeUp = (1...4).map { Sails.samples(seed: $0, count: 5000, channels: Sails.nine) }
        return [
            Count(
                "chunk bytes a point, recorded: position, time, altitude",
                recorded.map { bytesPerPoint($0.map { Array($0.samples) }, Sails.place) }
            ),
            Count(
                "chunk bytes a point, recorded: all its channels",
                recorded.map { bytesPerPoint($0.map { Array($0.samples) }, nil) }
            ),
            Count(
                "chunk bytes a point, made up: position, time, altitude",
                bytesPerPoint(madeUp, Sails.place)
            ),
            Count(
                "chunk bytes a point, made up: nine channels",
                bytesPerPoint(madeUp, Sails.nine)
            ),
        ]
    }

    /// The bytes of the chunks of some tracks by their points, with these channels or with all.
    private static func bytesPerPoint(_ tracks: [[Sample]], _ channels: [Channel]?) -> Double {
        let chunks = tracks.flatMap { track in
            Chunk.split(channels.map { kept in track.map { $0.keeping(kept) } } ?? track)
        }
        let byteCount = chunks.reduce(0) { $0 + $1.bytes.count }
        return Double(byteCount) / Double(tracks.reduce(0) { $0 + $1.count })
    }
}
