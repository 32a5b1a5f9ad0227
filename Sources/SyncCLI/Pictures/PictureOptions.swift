import ProgramKit

/// The command-line options for pictures of a track.
enum PictureOptions {
    static let all = [
        Option("--against AXIS", "plot against 'time' or 'distance' (default: by sport)"),
        Option("--svg FILE", "draw an SVG page of map and plots; '-' is standard output"),
        Option("--png FILE", "draw the same page as PNG, A4 at 216 dpi"),
        Option("--force", "overwrite an existing file"),
    ]

    static let details = """
        The plots show elevation, speed (for a run, pace), heart rate and heel. Flagged
        fixes are left out, and a pause is a gap. Spikes that would flatten the rest are
        clipped, and the plot says so. If the receiver reported no speed, it is computed
        from the positions.
        """
}

/// The files given with `--svg` and `--png`.
struct PictureFiles {
    private let targets: [(format: Page.Format, path: String)]
    private let replaces: Bool

    init(_ arguments: Arguments) throws(UserError) {
        targets = Page.Format.allCases.compactMap { format in
            arguments.option("--\(format.rawValue)").map { (format, $0) }
        }
        replaces = arguments.flag("--force")
        guard targets.count(where: { $0.path == "-" }) < 2 else {
            throw UserError.usage("only one picture can go to standard output")
        }
    }

    var isEmpty: Bool { targets.isEmpty }

    /// Writes every requested file and reports their sizes.
    func write(_ picture: TrackPicture, _ context: Context) throws {
        let output = context.output
        try checkStandardOutput(output)
        guard !picture.isEmpty else {
            throw UserError.failure(
                "cannot draw \(picture.track.label): no point was received yet, or all are flagged as wrong",
                hint: "'wake sync' fetches missing points"
            )
        }
        var written: [(String, JSON)] = []
        for (format, path) in targets {
            let bytes = try PicturePage(picture: picture).bytes(format)
            if path == "-" {
                output.write(bytes)
                continue
            }
            let file = try OutputFile(path, replaces: replaces)
            try file.write(bytes)
            try file.finish()
            written.append((path, .integer(bytes.count)))
        }
        tell(written, on: output)
        picture.note(on: output)
    }

    private func checkStandardOutput(_ output: Output) throws(UserError) {
        guard let target = targets.first(where: { $0.path == "-" }) else { return }
        guard !output.isJSON, !(output.isTerminal && target.format == .png) else {
            throw UserError.usage(
                "a picture cannot be combined with \(output.isJSON ? "--json" : "a terminal")",
                hint: "use '--\(target.format.rawValue) FILE'"
            )
        }
    }

    private func tell(_ files: [(path: String, bytes: JSON)], on output: Output) {
        // A picture on standard output must not be mixed with a report.
        guard targets.count == files.count else { return }
        let list = files.map { JSON.object([("file", .text($0.path)), ("bytes", $0.bytes)]) }
        output.result(.object([("files", .array(list))])) {
            files.map { "wrote \($0.path)\n" }.joined()
        }
    }
}
