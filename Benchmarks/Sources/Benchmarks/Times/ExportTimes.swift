internal import Foundation
internal import SyncCore

/// Points of a large track written by the program, with GPSBabel beside it.
enum ExportTimes {
    private static let pointCount = 200_000
    private static let babel = Program(path: "/usr/bin/gpsbabel")
    /// Our formats by GPSBabel's names.
    private static let names: [(format: ExportFormat, babel: String)] = [
        (.gpx, "gpx"), (.tcx, "gtrnctr"), (.geojson, "geojson"), (.kml, "kml"), (.csv, "unicsv"),
    ]

    /// Measures all of it; without GPSBabel its own figures alone.
    static func times() async throws -> [Time] {
        let device = try await Device(seed: 1)
        let samples = Sails.samples(seed: 1, count: pointCount, channels: Sails.place)
        _ = try await device.import([ImportedTrack(name: "Large", samples: samples)])
        return try names.flatMap {
            try exported(device.folder.path, as: $0.format, beside: $0.babel)
        }
    }

    private static func exported(
        _ data: String,
        as format: ExportFormat,
        beside name: String
    ) throws -> [Time] {
        let folder = try Folder()
        let file = folder.path + "/large." + format.fileEnding
        let run = try Program.wake.run(
            ["export", "--format", format.rawValue, "--output", file, "--data", data],
            isWatched: true
        )
        return [
            Time(
                name: "wake export of 200,000 points as \(format.rawValue)",
                value: Double(pointCount) / run.seconds,
                unit: "points/s",
                floor: try converted(data, to: name, in: folder).map { ("gpsbabel", $0) }
            ),
            Time(name: "memory of that", value: run.peakMebibytes, unit: "MiB"),
        ]
    }

    /// Points a second of GPSBabel from GPX; nil where it is not here.
    private static func converted(_ data: String, to name: String, in folder: Folder) throws
        -> Double?
    {
        guard FileManager.default.isExecutableFile(atPath: babel.path) else { return nil }
        let gpx = folder.path + "/all.gpx"
        try Program.wake.run(["export", "--format", "gpx", "--output", gpx, "--data", data])
        let run = try babel.run(["-t", "-i", "gpx", "-f", gpx, "-o", name, "-F", gpx + ".copy"])
        return Double(pointCount) / run.seconds
    }
}
