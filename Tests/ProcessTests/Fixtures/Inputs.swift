import Foundation

/// Where tests find what is not theirs.
enum Inputs {
    /// The directory of this package.
    static let packageRoot = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .path()

    /// Real recordings in `$WAKE_SHARED`, else in `../shared`; nil where they are not.
    static let shared: String? = {
        let path = ProcessInfo.processInfo.environment["WAKE_SHARED"] ?? packageRoot + "../shared"
        let isHere = FileManager.default.fileExists(atPath: path + "/data/README.md")
        return isHere ? path + "/data" : nil
    }()

    /// The Python that has the packages of `Scripts/python-env`; nil where it was not made.
    static let python = installed("python")

    /// PyPI's tester of described interfaces, from the same environment.
    static let schemathesis = installed("schemathesis")

    private static func installed(_ program: String) -> String? {
        let path = packageRoot + ".build/venv/bin/" + program
        return FileManager.default.isExecutableFile(atPath: path) ? path : nil
    }

    /// A GPX file of one track, a point a second.
    static func gpx(name: String, points: Int) -> String {
        let start = 1_777_600_000 + name.utf8.reduce(0) { $0 * 31 % 10_007 + Int($1) }
        let lines = (0..<points).map { index in
            let time = Date(timeIntervalSince1970: Double(start + index)).ISO8601Format()
            let (latitude, longitude) = (52.5 + Double(index) * 1e-5, 5.1 + Double(index) * 2e-5)
            return "<trkpt lat=\"\(latitude)\" lon=\"\(longitude)\"><time>\(time)</time></trkpt>"
        }
        return """
            <?xml version="1.0"?><gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1">
            <trk><name>\(name)</name><trkseg>
            \(lines.joined(separator: "\n"))
            </trkseg></trk></gpx>
            """
    }
}
