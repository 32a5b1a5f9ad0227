import ProgramKit
import SyncCore

enum ExportCommand {
    private static let formats =
        (ExportFormat.allCases.map(\.rawValue) + [OriginalExport.format]).joined(separator: ", ")

    static let command = Command(
        "export",
        "[TRACK...]",
        summary: "write tracks to files, or this device's sealed sets or keys",
        options: [
            Option("--format FORMAT", "\(formats) (else as FILE ends)"),
            Option("--output FILE", "where to (else standard output)"),
            Option("--folder DIR", "a file for each track in this folder"),
            Option("--force", "write over a file that is there"),
            Option("--sealed FILE", "write the sets that this device sealed, a CBOR sequence"),
            Option("--keys FILE", "write the keys that check them: keep that file secret"),
        ],
        details: """
            Without TRACK, all tracks: into one file, or with --folder into one each, named by day,
            name and id. In a folder a file that is there already is left as it is, so a command
            that was interrupted goes on when it is run again; a track that is not complete, or is
            still being recorded, gets a name with 'partial' and is written every time.

            GPX has the readings of each point, in extensions; KML and GeoJSON in lists beside the
            points. Of what sensors told between points they have what finds room at a point within
            a second; CSV has every sample. TCX has position, altitude, heart rate, cadence, speed
            and power, with laps, of what has a time, and no track without times. 'original' is the
            file that a track was imported from, byte for byte.
            """
    ) { arguments, context in
        let modes = ["--format", "--sealed", "--keys"].filter { arguments.option($0) != nil }
        let format = arguments.option("--format")?.lowercased() ?? ending(of: arguments)
        guard modes.count == 1 || modes.isEmpty && format != nil else {
            throw UserError(
                .usage,
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
            throw UserError(.usage, "unknown format '\(name)'", hint: "the formats are \(formats)")
        }
        let target = try TrackExport.Target(arguments)
        guard target != .standardOutput || !context.output.isJSON else {
            throw UserError(
                .usage,
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
                UserError(
                    .failure,
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
