internal import SyncCore

/// What a person looks at, in a library of a million points in 1,000 tracks, and two more: of 100,000
/// points, and of a million.
enum LibraryTimes {
    private static let trackCount = 1000
    private static let pointsPerTrack = 1000
    private static let longPointCount = 100_000
    private static let longestPointCount = 1_000_000
    private static let runs = 11

    /// Measures all of it, each beside the same program that only tells its version.
    static func times() async throws -> [Time] {
        let device = try await Device(seed: 1)
        _ = try await device.import(Sails.tracks(trackCount, points: pointsPerTrack))
        let long = Sails.track(trackCount, points: longPointCount)
        let track = "\(try await device.import([long])[0])"
        let more = Sails.track(trackCount + 1, points: longestPointCount)
        let longest = "\(try await device.import([more])[0])"
        let version = try run(["--version"], in: device).milliseconds
        return try [
            ("wake tracks list", ["tracks", "list"]),
            ("wake tracks list --near", ["tracks", "list", "--near", "52.5,5.3"]),
            ("wake stats --by week", ["stats", "--by", "week"]),
            ("wake tracks show, 100,000 points", ["tracks", "show", track]),
            ("wake tracks show, 1,000,000 points", ["tracks", "show", longest]),
            ("wake tracks show --svg, 100,000 points", ["tracks", "show", track, "--svg", "-"]),
            ("wake tracks show --png, 100,000 points", ["tracks", "show", track, "--png", "-"]),
        ].flatMap { name, arguments in
            let run = try run(arguments, in: device)
            return [
                Time(
                    name: name,
                    value: run.milliseconds,
                    unit: "ms",
                    floor: ("wake --version", version)
                ),
                Time(name: "memory of that", value: run.mebibytes, unit: "MiB"),
            ]
        }
    }

    /// The middle of some runs, and the memory of one more.
    private static func run(
        _ arguments: [String],
        in device: Device
    ) throws -> (milliseconds: Double, mebibytes: Double) {
        let words = arguments + ["--data", device.folder.path]
        let times = try (0..<runs).map { _ in try Program.wake.run(words).seconds * 1000 }
        let watched = try Program.wake.run(words, isWatched: true)
        return (Stopwatch.median(times), watched.peakMebibytes)
    }
}
