internal import Foundation
internal import SyncCore

/// A million points in two files, for one may hold 64 MiB, and through a server.
enum LargeTimes {
    private static let pointCount = 500_000

    /// Measures all of it.
    static func times() async throws -> [Time] {
        let files = try Folder()
        let paths = ["/one.gpx", "/two.gpx"].map { files.path + $0 }
        for path in paths { try write(to: path) }
        let server = try ServerProcess()
        let (first, second) = (try Folder(), try Folder())
        try Program.wake.run(["init", "--data", first.path])
        try Program.wake.run(["join", "\(try server.invite())", "--data", first.path])
        let link = try Program.wake.output(["devices", "link", "--json", "--data", first.path])
        guard let start = link.range(of: "wake://"),
            let end = link[start.lowerBound...].firstIndex(of: "\"")
        else { throw ProgramError.silent }
        try Program.wake.run(["init", "--data", second.path])
        try Program.wake.run(
            ["join", String(link[start.lowerBound..<end]), "--data", second.path]
        )
        return try [
            ("import", ["import"] + paths + ["--data", first.path]),
            ("sync to the server", ["sync", "--data", first.path]),
            ("sync to an empty device", ["sync", "--data", second.path]),
            (
                "export",
                ["export", "--format", "gpx", "--data", second.path]
            ),
        ].flatMap { name, arguments in
            let run = try Program.wake.run(arguments, isWatched: true)
            return [
                Time(
                    name: "\(name) of a million points in two files",
                    value: run.seconds,
                    unit: "s"
                ),
                Time(name: "memory of that", value: run.peakMebibytes, unit: "MiB"),
            ]
        }
    }

    /// A GPX file, written piece by piece so that this process stays small.
    private static func write(to path: String) throws {
        _ = FileManager.default.createFile(atPath: path, contents: nil)
        guard let file = FileHandle(forWritingAtPath: path) else { throw ProgramError.silent }
        let head = """
            <?xml version="1.0" encoding="UTF-8"?>
            <gpx version="1.1" creator="Wake" xmlns="http://www.topografix.com/GPX/1/1">
            <trk><trkseg>\n
            """
        try file.write(contentsOf: Array(head.utf8))
        let sailLength = 5000
        for start in stride(from: 0, to: pointCount, by: sailLength) {
            let sail = SyntheticSail(
                seed: path.hasSuffix("one.gpx") ? 1 : 2,
                start: UnixTime(milliseconds: 1_700_000_000_000 + Int64(start) * 1000),
                seconds: sailLength
            )
            try file.write(contentsOf: Array(sail.samples.map(Self.point).joined().utf8))
        }
        try file.write(contentsOf: Array("</trkseg></trk></gpx>\n".utf8))
        try file.close()
    }

    private static func point(_ sample: Sample) -> String {
        let place = "lat=\"\(sample[.latitude] ?? 0)\" lon=\"\(sample[.longitude] ?? 0)\""
        let seconds = TimeInterval(sample.time?.milliseconds ?? 0) / 1000
        let time = Date(timeIntervalSince1970: seconds).formatted(.iso8601)
        return "<trkpt \(place)><ele>\(sample[.altitude] ?? 0)</ele><time>\(time)</time></trkpt>\n"
    }
}
