import SyncCore

extension Commands {
    static let export = Command(
        "export",
        "[TRACK]",
        summary: "write tracks as GPX, or this device's sealed sets or keys",
        options: [
            Option("--format FORMAT", "gpx"),
            Option("--output FILE", "where to (else standard output)"),
            Option("--force", "write over a file that is there"),
            Option("--sealed FILE", "write the sets that this device sealed, a CBOR sequence"),
            Option("--keys FILE", "write the keys that check them: keep that file secret"),
        ],
        details: """
            Without TRACK, all tracks go into one file.
            Heel, pitch, wind and all other readings stand in extensions at the points.
            """
    ) { arguments, context in
        let modes = ["--format", "--sealed", "--keys"].filter { arguments.option($0) != nil }
        guard modes.count == 1 else {
            throw Complaint(
                .usage,
                modes.isEmpty
                    ? "it is not clear what to export"
                    : "\(modes.joined(separator: " and ")) exclude each other",
                hint: "give '--format gpx', '--sealed FILE' or '--keys FILE'"
            )
        }
        let library = try await context.library()
        if let file = arguments.option("--sealed") {
            return try await exportSealed(library, to: file, arguments, context)
        }
        if let file = arguments.option("--keys") {
            return try await exportKeys(library, to: file, arguments, context)
        }
        return try await exportTracks(library, arguments, context)
    }

    private static func exportTracks(
        _ library: Library,
        _ arguments: Arguments,
        _ context: Context
    ) async throws -> ExitCode {
        let format = arguments.option("--format") ?? ""
        guard format == "gpx" else {
            throw Complaint(.usage, "no format '\(format)'", hint: "there is gpx")
        }
        let path = arguments.option("--output").flatMap { $0 == "-" ? nil : $0 }
        guard path != nil || !context.output.isJSON else {
            throw Complaint(.usage, "--json needs --output FILE, for the tracks fill the output")
        }
        let tracks =
            if let word = arguments.optional("TRACK") {
                [try await library.track(word)]
            } else {
                try await library.replica.tracks(in: library.space)
            }
        let file = try path.map { try OutputFile($0, replaces: arguments.flag("--force")) }
        try await write(tracks, of: library, to: file, context)
        try file?.finish()
        if let path, let file {
            context.output.result(json(of: tracks, in: path, byteCount: file.byteCount)) {
                "wrote \(tracks.count.counted("track")) to \(path)\n"
            }
        }
        return warnOfMissing(tracks, context.output) ? .failure : .success
    }

    /// Writes track by track, so that no more than one is held.
    private static func write(
        _ tracks: [Track],
        of library: Library,
        to file: OutputFile?,
        _ context: Context
    ) async throws {
        let output = context.output
        var writer = GPXWriter { bytes in
            if let file { try file.write(bytes) } else { output.write(bytes) }
        }
        var progress = Progress(
            "export",
            total: file == nil ? nil : tracks.count,
            unit: .items("tracks"),
            context: context
        )
        defer { progress.end() }
        for (index, track) in tracks.enumerated() {
            if file != nil { progress.update(done: index) }
            let notes = try await library.replica.cells(
                TrackField.collection,
                .id(track.id),
                in: library.space
            )[TrackField.notes]?.value.text
            try writer.write(
                ImportedTrack(
                    name: track.name ?? "",
                    sport: track.sport ?? "",
                    notes: notes ?? "",
                    samples: try await library.replica.samples(of: track.id, in: library.space)
                )
            )
        }
        try writer.finish()
    }

    private static func warnOfMissing(_ tracks: [Track], _ output: Output) -> Bool {
        let partial = tracks.filter { $0.missingChunkCount > 0 }
        for track in partial {
            output.warn(
                "\(track.label) is not complete: \(track.missingChunkCount.counted("chunk")) did "
                    + "not arrive yet; 'wake sync' gets them"
            )
        }
        return !partial.isEmpty
    }

    private static func json(of tracks: [Track], in path: String, byteCount: Int) -> JSON {
        .object([
            ("file", .text(path)),
            ("bytes", .integer(byteCount)),
            ("tracks", .array(tracks.map { .object($0.members) })),
        ])
    }
}

/// What outsiders need to check this device's writes.
extension Commands {
    private static func exportSealed(
        _ library: Library,
        to path: String,
        _ arguments: Arguments,
        _ context: Context
    ) async throws -> ExitCode {
        let items = try await library.replica.ownPushItems()
        let file = try OutputFile(path, replaces: arguments.flag("--force"))
        for item in items { try file.write(item) }
        try file.finish()
        if items.isEmpty {
            context.output.note("nothing was sealed yet; 'wake sync' seals what is unsealed")
        }
        context.output.result(
            .object([
                ("file", .text(path)), ("bytes", .integer(file.byteCount)),
                ("sets", .integer(items.count)),
            ])
        ) { "wrote \(items.count.counted("sealed set")) to \(path)\n" }
        return .success
    }

    private static func exportKeys(
        _ library: Library,
        to path: String,
        _ arguments: Arguments,
        _ context: Context
    ) async throws -> ExitCode {
        let device = try await library.replica.deviceKeys()
        var spaces: [(String, JSON)] = []
        for space in try await library.replica.spaces() {
            let keys = try await library.replica.spaceKeys(of: space.id)
            let members = Self.keys(keys.secrets.keys) { keys.macSecret(epoch: $0) }
            spaces.append((space.id.bytes.hexadecimal, members))
        }
        let document = JSON.object([
            ("device", Self.keys(device.secrets.keys) { device.macSecret(epoch: $0) }),
            ("spaces", .object(spaces)),
        ])
        let file = try OutputFile(path, mode: 0o600, replaces: arguments.flag("--force"))
        try file.write(Array((document.indented + "\n").utf8))
        try file.finish()
        context.output.warn(
            "who has \(path) can sign in the name of this device and of its spaces; "
                + "delete it when it has served"
        )
        context.output.result(.object([("file", .text(path))])) { "wrote the keys to \(path)\n" }
        return .success
    }

    private static func keys(
        _ epochs: some Collection<UInt64>,
        _ secret: (UInt64) -> Secret?
    ) -> JSON {
        .object(
            epochs.sorted().compactMap { epoch in
                secret(epoch).map {
                    (epoch.bigEndianBytes.hexadecimal, .text($0.bytes.hexadecimal))
                }
            }
        )
    }
}
