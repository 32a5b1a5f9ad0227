internal import Foundation
internal import SyncCore

/// A million points of one file taken in by the program, with GPSBabel beside it.
enum ImportTimes {
    private static let pointCount = 1_000_000
    private static let babel = Program(path: "/usr/bin/gpsbabel")

    /// Measures all of it; without GPSBabel its own figures alone.
    static func times() throws -> [Time] {
        let folder = try Folder()
        let (gpx, fit) = (folder.path + "/large.gpx", folder.path + "/large.fit")
        try writeGPX(to: gpx)
        let other = try converted(gpx, in: folder)
        try convertToFIT(gpx, fit)
        var times = try imported(gpx, "GPX", floor: other)
        if FileManager.default.fileExists(atPath: fit) {
            times += try imported(fit, "FIT", floor: nil)
        }
        return times
    }

    private static func writeGPX(to path: String) throws {
        _ = FileManager.default.createFile(atPath: path, contents: nil)
        guard let file = FileHandle(forWritingAtPath: path) else {
            throw CocoaError(.fileWriteUnknown)
        }
        defer { try? file.close() }
        let samples = Sails.samples(seed: 1, count: pointCount, channels: Sails.place)
        let track = ImportedTrack(name: "Large", samples: samples)
        try GPXWriter.write([track]) { try file.write(contentsOf: Data($0)) }
    }

    /// Points a second of GPSBabel from GPX to GPX; nil where it is not here.
    private static func converted(_ gpx: String, in folder: Folder) throws -> Double? {
        guard FileManager.default.isExecutableFile(atPath: babel.path) else { return nil }
        let copy = folder.path + "/copy.gpx"
        let run = try babel.run(["-t", "-i", "gpx", "-f", gpx, "-o", "gpx", "-F", copy])
        return Double(pointCount) / run.seconds
    }

    private static func convertToFIT(_ gpx: String, _ fit: String) throws {
        guard FileManager.default.isExecutableFile(atPath: babel.path) else { return }
        try babel.run(["-t", "-i", "gpx", "-f", gpx, "-o", "garmin_fit", "-F", fit])
    }

    private static func imported(_ file: String, _ format: String, floor: Double?) throws -> [Time]
    {
        let folder = try Folder()
        try Program.wake.run(["init", "--data", folder.path])
        let run = try Program.wake.run(["import", file, "--data", folder.path], isWatched: true)
        return [
            Time(
                name: "wake import of 1,000,000 points of \(format)",
                value: Double(pointCount) / run.seconds,
                unit: "points/s",
                floor: floor.map { ("gpsbabel", $0) }
            ),
            Time(name: "memory of that", value: run.peakMebibytes, unit: "MiB"),
        ]
    }
}
