import SyncCore

extension Commands {
    static let importFiles = Command(
        "import",
        "FILE...",
        summary: "take in tracks of GPX, TCX, FIT, KML and NMEA files; '-' is standard input",
        options: [
            Option("--dry-run", "tell what would be taken in, and change nothing"),
            Option("--salvage", "of a damaged file take what can be read"),
        ],
        details: """
            The content tells the format, not the name. Of a folder all files in it are taken, and
            those in its folders; what is no recording there is passed over. The same file twice,
            here or on another device, is one track; a rename or a deletion stays. One bad file
            does not stop the others.
            """
    ) { arguments, context in
        let library = try await context.library()
        let mode = ImportMode(
            isDry: arguments.flag("--dry-run"),
            salvages: arguments.flag("--salvage")
        )
        let files = files(of: arguments.list("FILE"))
        var results: [ImportResult] = []
        for (file, isNamed) in files {
            let result = await take(file, mode, into: library, context)
            guard isNamed || !result.isNoRecording else { continue }
            results.append(result)
            result.tell(on: context.output)
        }
        guard !results.isEmpty else {
            throw Complaint(.notFound, "there is no recording in the folder")
        }
        if context.output.isJSON {
            context.output.json(.object([("files", .array(results.map(\.json)))]))
        } else if files.contains(where: { !$0.isNamed }) {
            context.output.note(summary(of: results, passedOver: files.count - results.count))
        }
        guard results.contains(where: { $0.complaint != nil }) else { return .success }
        return results.count == 1 ? results.first?.complaint?.code ?? .failure : .failure
    }

    /// The files of folders stand in the place of those; those that a person named are marked.
    private static func files(of words: [String]) -> [(path: String, isNamed: Bool)] {
        words.flatMap { word in
            // A folder that cannot be read is told as a file that cannot.
            guard word != "-", InputFile.isFolder(word),
                let files = Folder.files(below: word)
            else { return [(word, true)] }
            return files.map { ($0, false) }
        }
    }

    private static func summary(of results: [ImportResult], passedOver: Int) -> String {
        let rows = results.flatMap(\.tracks).map(\.row)
        let isDry = results.contains(where: \.isDry)
        let new = isDry ? "that would be new" : "taken in"
        let bad = results.count { $0.complaint != nil }
        return
            "\(results.count.counted("file")): \(rows.count(where: \.isNew).counted("track")) \(new), "
            + "\(rows.count { !$0.isNew }) here already"
            + (bad == 0 ? "" : ", \(bad.counted("file")) not taken in")
            + (passedOver == 0
                ? ""
                : "; passed over \(passedOver.counted("file that is no recording", "files that are no recordings"))")
    }

    /// Takes in one file; what is wrong with it is part of the result.
    private static func take(
        _ file: String,
        _ mode: ImportMode,
        into library: Library,
        _ context: Context
    ) async -> ImportResult {
        var result = ImportResult(file: file, isDry: mode.isDry)
        do {
            let recording = try RecordingFile(file, context)
            result.remark = recording.remark
            let tracks = recording.tracks.enumerated().filter { !$0.element.samples.isEmpty }
            result.isNoRecording = recording.isNoRecording
            if let damage = recording.damage {
                let count = tracks.reduce(0) { $0 + $1.element.samples.count }
                guard mode.salvages, count > 0 else {
                    throw Complaint(
                        damage.code,
                        damage.message,
                        hint: count == 0
                            ? nil
                            : "'wake import --salvage' takes the \(count.counted("sample")) before it"
                    )
                }
                result.damage = damage.message
            }
            for (place, track) in tracks {
                result.tracks.append(
                    try await take(track, of: recording, at: place, mode, into: library, context)
                )
            }
            if result.tracks.isEmpty {
                throw Complaint(.failure, "\(file): there is no track in it")
            }
        } catch let error as NoRecording {
            result.isNoRecording = true
            result.complaint = error.complaint
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

    private static func take(
        _ track: ImportedTrack,
        of recording: RecordingFile,
        at place: Int,
        _ mode: ImportMode,
        into library: Library,
        _ context: Context
    ) async throws -> ImportResult.Entry {
        let name = ImportName(file: recording.digest, place: place)
        let row =
            mode.isDry
            ? try await library.replica.importedRow(name, in: library.space)
            : try await library.replica.importTrack(
                track,
                as: name,
                into: library.space,
                now: context.now()
            )
        return ImportResult.Entry(
            row: row,
            track: try await library.replica.track(row.track, in: library.space),
            name: track.name,
            sampleCount: track.samples.count
        )
    }
}

/// What a person asked for besides the files.
private struct ImportMode {
    let isDry: Bool
    let salvages: Bool
}

/// What became of one file.
private struct ImportResult {
    let file: String
    let isDry: Bool
    var tracks: [Entry] = []
    /// What was passed over.
    var remark: String?
    /// What is wrong with a file of which the rest was taken.
    var damage: String?
    var complaint: Complaint?
    /// Whether it is no recording, or none of a track: in a folder that is passed over.
    var isNoRecording = false

    /// What became of one track of it.
    struct Entry {
        let row: ImportedRow
        /// As it is here now; nil where it is not.
        let track: Track?
        let name: String
        let sampleCount: Int
    }

    func tell(on output: Output) {
        if !output.isJSON {
            for entry in tracks { output.line("\(name): \(line(entry))") }
        }
        if let remark { output.note("\(name): \(remark)") }
        if let damage {
            output.warn("\(damage); what stands before it \(isDry ? "would be" : "was") taken in")
        }
        if let complaint { output.complain(complaint) }
    }

    private var name: String { file == "-" ? "standard input" : file.withoutControls }

    private func line(_ entry: Entry) -> String {
        guard let track = entry.track else {
            return "'\(entry.name.withoutControls)' would be new, "
                + entry.sampleCount.counted("sample")
        }
        if entry.row.isNew { return "\(track.label), \(track.pointCount.counted("point"))" }
        guard entry.row.isDeleted else { return "already here as \(track.label)" }
        return "already here as \(track.label), in the trash; "
            + "'wake tracks restore \(track.id.short)' takes it back"
    }

    var json: JSON {
        .object([
            ("file", .text(file)), ("isDry", .bool(isDry)),
            ("tracks", .array(tracks.map(Self.json))),
            ("damage", .text(damage)),
            ("error", .text(complaint?.message)),
        ])
    }

    private static func json(_ entry: Entry) -> JSON {
        let members = entry.track?.members ?? [("name", .text(entry.name))]
        return .object(
            members + [
                ("isNew", .bool(entry.row.isNew)), ("isDeleted", .bool(entry.row.isDeleted)),
            ]
        )
    }
}
