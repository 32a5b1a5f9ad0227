import SyncCore

extension Commands {
    static let importFiles = Command(
        "import",
        "FILE...",
        summary: "take in tracks of GPX and NMEA files; '-' is standard input",
        details: """
            The content tells the format. The same file twice, here or on another device, is one
            track; a rename or a deletion stays. One bad file does not stop the others.
            """
    ) { arguments, context in
        let library = try await context.library()
        let files = arguments.list("FILE")
        var results: [ImportResult] = []
        for file in files {
            let result = await take(file, into: library, context)
            results.append(result)
            result.tell(on: context.output)
        }
        if context.output.isJSON {
            context.output.json(.object([("files", .array(results.map(\.json)))]))
        }
        guard results.contains(where: { $0.complaint != nil }) else { return .success }
        return files.count == 1 ? results.first?.complaint?.code ?? .failure : .failure
    }

    /// Takes in one file; what is wrong with it is part of the result.
    private static func take(
        _ file: String,
        into library: Library,
        _ context: Context
    ) async -> ImportResult {
        var result = ImportResult(file: file)
        do {
            let recording = try RecordingFile(file, context)
            result.remark = recording.remark
            for (place, track) in recording.tracks.enumerated() where !track.samples.isEmpty {
                let row = try await library.replica.importTrack(
                    track,
                    from: recording.digest,
                    at: place,
                    into: library.space,
                    now: context.now()
                )
                let after = try await library.replica.track(row.track, in: library.space)
                if let after { result.tracks.append((row, after)) }
            }
            if result.tracks.isEmpty {
                throw Complaint(.failure, "\(file): there is no track in it")
            }
        } catch  where error is DatabaseError || error is ReplicaError {
            let complaint = Complaint(describing: error)
            result.complaint = Complaint(
                .failure,
                "cannot take in \(file): \(complaint.message)",
                hint: complaint.hint
            )
        } catch {
            result.complaint = Complaint(describing: error)
        }
        return result
    }
}

/// What became of one file.
private struct ImportResult {
    let file: String
    var tracks: [(row: ImportedRow, track: Track)] = []
    /// What was passed over.
    var remark: String?
    var complaint: Complaint?

    func tell(on output: Output) {
        if !output.isJSON {
            for (row, track) in tracks { output.line("\(name): \(Self.line(row, track))") }
        }
        if let remark { output.note("\(name): \(remark)") }
        if let complaint { output.complain(complaint) }
    }

    private var name: String { file == "-" ? "standard input" : file.withoutControls }

    private static func line(_ row: ImportedRow, _ track: Track) -> String {
        if row.isNew { return "\(track.label), \(track.pointCount.counted("point"))" }
        guard row.isDeleted else { return "already here as \(track.label)" }
        return "already here as \(track.label), in the trash; "
            + "'wake tracks restore \(track.id.short)' takes it back"
    }

    var json: JSON {
        .object([
            ("file", .text(file)),
            (
                "tracks",
                .array(
                    tracks.map { row, track in
                        .object(
                            track.members + [
                                ("isNew", .bool(row.isNew)), ("isDeleted", .bool(row.isDeleted)),
                            ]
                        )
                    }
                )
            ),
            ("error", .text(complaint?.message)),
        ])
    }
}
