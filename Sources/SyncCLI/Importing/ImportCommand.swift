import ProgramKit
import SyncCore

enum ImportCommand {
    static let command = Command(
        "import",
        "[FILE...]",
        summary: "take in tracks and places: GPX, TCX, FIT, KML, GeoJSON, NMEA, in zip or gzip",
        options: [
            Option("--dry-run", "tell what would be taken in, and change nothing"),
            Option("--salvage", "of a damaged file take what can be read"),
            Option("--watch DIR", "take in what is in a folder and what comes, until Ctrl-C"),
            Option("--on-duplicate WHAT", "of a track like one here: keep (both), skip, replace"),
        ],
        details: """
            The content tells the format, not the name; '-' is standard input. Of a folder all files
            in it are taken, and those in its folders, and of a zip archive all files in it; what is
            no recording there is passed over. A file may be compressed with gzip. The same file
            twice, here or on another device, is one track; a rename or a deletion stays. One bad
            file does not stop the others. --salvage leaves out single points of XML that are
            impossible, and else takes what stands before the damage.

            A waypoint of GPX and a point of KML is a place ('wake places'); with a time at which one
            of the file's tracks was recorded, it is a mark of that track. A place of the same name
            within some 30 m of one that is kept is that place.

            A track that was at the same places at the same times as one here is told as like it:
            the same outing from another device or program, or from another of the crew. Both are
            kept unless --on-duplicate says otherwise. 'replace' moves the one here to the trash
            only if the new one has at least its points and channels; what a person wrote of it
            goes to the new one.

            --watch takes a file when it was not written for three seconds, and for longer each time
            it goes on after that. A track that has all of one from an earlier state of its file
            takes its place in the same way: a log that grows is one track in the end.
            """
    ) { arguments, context in
        var mode = try arguments.importMode()
        mode.followsGrowth = arguments.option("--watch") != nil
        let library = try await context.library()
        mode.keepsOriginals = try await library.value(of: .keepOriginals).bool != false
        var importer = Importer(library: library, mode: mode, context: context)
        let words = arguments.list("FILE")
        if let folder = arguments.option("--watch") {
            guard words.isEmpty else {
                throw UserError(.usage, "--watch cannot be combined with files")
            }
            return try await ImportWatch(importer: importer, folder: folder).run()
        }
        guard !words.isEmpty else {
            throw UsageError.missing("FILE", command: "import")
        }
        if mode.isDry {
            importer.isOver = context.catchInterrupts()
            importer.dryRun = try await DryRun(context)
        }
        defer { importer.dryRun?.end() }
        var report = ImportReport(output: context.output)
        let isOver = importer.isOver
        let files = files(of: words)
        for (count, (file, isNamed)) in files.enumerated() {
            await importer.take(file, isNamed: isNamed) { if !isOver() { report.add($0) } }
            guard !isOver() else {
                let total = files.count.counted("file")
                throw UserError(.failure, "interrupted after \(count) of \(total)")
            }
        }
        return try report.finish()
    }

    /// Expands folders to their files; `isNamed` marks paths that the user gave.
    private static func files(of words: [String]) -> [(path: String, isNamed: Bool)] {
        words.flatMap { word in
            guard word != "-", InputFile.isFolder(word) else { return [(word, true)] }
            let contents = Folder.contents(of: word)
            // The import reports an unreadable folder like an unreadable file.
            return contents.unreadable.map { ($0.path, true) }
                + contents.files.map { ($0, false) }
        }
    }
}
