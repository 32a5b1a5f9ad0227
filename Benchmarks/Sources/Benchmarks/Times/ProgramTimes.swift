internal import SyncCore

/// The programs from their start to their end, on a library of 200 tracks of 5,000 points.
enum ProgramTimes {
    private static let trackCount = 200
    private static let runs = 21

    /// Measures all of it.
    static func times() async throws -> [Time] {
        let server = try ServerProcess()
        let folder = try Folder()
        let nothing = try median(of: .nothing, [])
        let sync = try await sync(through: server, into: folder)
        let status = try median(of: .wake, ["status", "--data", folder.path])
        let list = try median(of: .wake, ["tracks", "list", "--data", folder.path])
        return sync + [
            Time(name: "wake status", value: status, unit: "ms", floor: ("/bin/true", nothing)),
            Time(name: "wake tracks list", value: list, unit: "ms", floor: ("/bin/true", nothing)),
        ] + (try recorded())
    }

    /// Milliseconds, the middle of some runs.
    private static func median(of program: Program, _ arguments: [String]) throws -> Double {
        Stopwatch.median(try (0..<runs).map { _ in try program.run(arguments).seconds * 1000 })
    }

    /// A library goes from a device to the server and from there to a new one.
    private static func sync(
        through server: ServerProcess,
        into folder: Folder
    ) async throws -> [Time] {
        let device = try await Device(seed: 1, joining: try server.invite())
        for index in 0..<trackCount {
            _ = try await device.import([Sails.track(index, points: 5000)])
        }
        let transport = CountingTransport(authority: server.authority)
        let up = try await Stopwatch.seconds { try await device.sync(over: transport) }
        let link = try await device.link()
        try Program.wake.run(["init", "--data", folder.path])
        try Program.wake.run(["join", "\(link)", "--data", folder.path])
        let down = try Program.wake.run(["sync", "--data", folder.path], isWatched: true)
        let size = try Folder.byteCount(of: folder.path + "/replica.db")
        return [
            Time(name: "sync of 200 tracks to the server", value: up, unit: "s"),
            Time(
                name: "wake sync of 200 tracks to an empty device",
                value: down.seconds,
                unit: "s"
            ),
            Time(name: "memory of that", value: down.peakMebibytes, unit: "MiB"),
            Time(name: "bytes a point there", value: Double(size) / 1_000_000, unit: "B"),
        ]
    }

    /// The import of a real recording.
    private static func recorded() throws -> [Time] {
        guard let file = Folder.path(ofRecording: "gpx/mtk_logger_m241_multiple_tracks.gpx") else {
            return []
        }
        let seconds = try (0..<5).map { _ in
            let folder = try Folder()
            try Program.wake.run(["init", "--data", folder.path])
            return try Program.wake.run(["import", file, "--data", folder.path]).seconds
        }
        return [
            Time(
                name: "wake import of 14,263 recorded points",
                value: Stopwatch.median(seconds) * 1000,
                unit: "ms"
            )
        ]
    }
}
