import ProgramKit
import SyncCore

enum ExportCommand {
    private static let formats =
        (ExportFormat.allCases.map(\.rawValue) + [OriginalExport.format]).joined(separator: ", ")

    static let command = Command(
        "export",
        "[TRACK...]",
        summary: "export tracks, sealed change sets or keys",
        options: [
            Option("--format FORMAT", "\(formats)"),
            Option("--output FILE", "the file to write (default: standard output)"),
            Option("--folder DIR", "write one file for each track to this folder"),
            Option("--force", "overwrite an existing file"),
            Option("--sealed FILE", "export this device's sealed change sets, as a CBOR sequence"),
            Option("--keys FILE", "export the keys that verify them; keep FILE secret"),
        ],
        details: """
            Without TRACK, the command exports all tracks. Without --format, the extension
            of --output FILE selects the format.

            --folder writes one file for each track, named by day, name and id. It skips
            files that already exist, so an interrupted export continues when you run the
            command again. The file of a track that is incomplete or still being recorded
            has 'partial' in its name and is written every time.

            GPX stores the sensor readings of each point in extensions; KML and GeoJSON
            store them in lists beside the points. These three keep a reading taken between
            points only if a point within a second has room for it. CSV has every sample.
            TCX has position, altitude, heart rate, cadence, speed, power and laps. It
            leaves out points without a time, and tracks without times. 'original' is the
            file that a track was imported from, byte for byte.
            """
    ) { arguments, context in
        let modes = ["--format", "--sealed", "--keys"].filter { arguments.option($0) != nil }
        let format = arguments.option("--format")?.lowercased() ?? ending(of: arguments)
        guard modes.count == 1 || modes.isEmpty && format != nil else {
            throw UserError.usage(
                modes.isEmpty
                    ? "no export format was given"
                    : "\(modes.joined(separator: " and ")) cannot be used together",
                hint: modes.isEmpty
                    ? "use '--format FORMAT' (\(formats)), an --output FILE with such an ending, "
                        + "'--sealed FILE' or '--keys FILE'" : "use one of them"
            )
        }
        let library = try await context.library()
        if let file = arguments.option("--sealed") {
            return try await SealedExport.writeSets(library, to: file, arguments, context)
        }
        if let file = arguments.option("--keys") {
            return try await SealedExport.writeKeys(library, to: file, arguments, context)
        }
        return try await exportTracks(library, as: format ?? "", arguments, context)
    }

    /// Returns the format that the output file's extension implies, or nil if none.
    private static func ending(of arguments: Arguments) -> String? {
        let name = arguments.option("--output")?.split(separator: "/").last ?? ""
        guard let dot = name.lastIndex(of: ".") else { return nil }
        let ending = name[dot...].dropFirst().lowercased()
        return ExportFormat.allCases.first { $0.fileEnding == ending }?.rawValue
    }

    private static func exportTracks(
        _ library: Library,
        as name: String,
        _ arguments: Arguments,
        _ context: Context
    ) async throws -> ExitCode {
        let format = ExportFormat(rawValue: name)
        guard format != nil || name == OriginalExport.format else {
            throw UserError.usage("unknown format '\(name)'", hint: "the formats are \(formats)")
        }
        let target = try TrackExport.Target(arguments)
        guard target != .standardOutput || !context.output.isJSON else {
            throw UserError.usage(
                "--json needs --output FILE or --folder DIR: the tracks go to standard output"
            )
        }
        let tracks = try await library.tracks(arguments.list("TRACK"))
        let replaces = arguments.flag("--force")
        if let format {
            let export = TrackExport(
                library: library,
                tracks: tracks,
                format: format,
                replaces: replaces,
                context: context
            )
            return try await write(export, to: target)
        }
        let export = OriginalExport(
            library: library,
            areNamed: !arguments.list("TRACK").isEmpty,
            replaces: replaces,
            context: context
        )
        return try await export.write(tracks, to: target)
    }

    /// Writes all tracks except those that the format cannot hold.
    private static func write(
        _ export: TrackExport,
        to target: TrackExport.Target
    ) async throws -> ExitCode {
        let timeless = leftOut(of: export.tracks, export.format, target)
        tell(timeless, export.format, export.context.output)
        guard timeless.isEmpty || timeless != export.tracks else { return .failure }
        var export = export
        export.tracks.removeAll(where: timeless.contains)
        return try await export.write(to: target) && timeless.isEmpty ? .success : .failure
    }

    /// Returns the tracks that are skipped because the format requires times.
    ///
    /// In one file with other tracks, only their points are reported as left out.
    private static func leftOut(
        of tracks: [Track],
        _ format: ExportFormat,
        _ target: TrackExport.Target
    ) -> [Track] {
        let timeless = format.needsTimes ? tracks.filter { $0.start == nil } : []
        if case .folder = target { return timeless }
        return timeless.count < tracks.count ? [] : timeless
    }

    private static func tell(_ timeless: [Track], _ format: ExportFormat, _ output: Output) {
        for track in timeless {
            output.report(
                UserError.failure(
                    "cannot export \(track.label): it has no times, and "
                        + "\(format.rawValue.uppercased()) requires them",
                    hint: "use gpx, kml, geojson or csv"
                )
            )
        }
    }
}

extension Library {
    /// Returns the named tracks, each once, or all tracks outside the trash if none is named.
    fileprivate func tracks(_ words: [String]) async throws -> [Track] {
        guard !words.isEmpty else { return try await replica.read { try $0.tracks.all(in: space) } }
        var tracks: [Track] = []
        for word in words {
            let track = try await track(word)
            if !tracks.contains(where: { $0.id == track.id }) { tracks.append(track) }
        }
        return tracks
    }
}
