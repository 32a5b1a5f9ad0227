import ProgramKit
import SyncCore

enum ImportCommand {
    static let command = Command(
        "import",
        "[FILE...]",
        summary: "import tracks and places from files and folders",
        options: [
            Option("--dry-run", "show what would be imported; change nothing"),
            Option("--salvage", "import the readable part of a damaged file"),
            Option("--watch DIR", "import the files of a folder and new ones, until Ctrl-C"),
            Option("--on-duplicate WHAT", "on a possible duplicate: keep (both), skip, replace"),
        ],
        details: """
            Formats: GPX, TCX, FIT, KML, GeoJSON and NMEA 0183, also in zip archives and
            compressed with gzip. The content decides the format, not the name. '-' is
            standard input. A folder is imported with all files below it, and an archive
            with all its files; files there that are not recordings are skipped.

            Importing the same file again, here or on another device, gives the same track;
            a rename or a deletion is kept. One bad file does not stop the others.
            --salvage leaves out single impossible points of an XML file. Otherwise it
            imports everything before the damage.

            A GPX waypoint or a KML point becomes a place ('wake places'). If its time lies
            within a track of the file, it becomes a mark of that track. A place within
            about 30 m of an existing place with the same name is that place.

            A track that covers the same places at the same times as an existing one is
            reported as a possible duplicate: the same outing from another device, program
            or crew member. Both are kept unless --on-duplicate says otherwise. 'replace'
            moves the existing track to the trash only if the new one has at least its
            points and channels. What people wrote about the old track moves to the new one.

            --watch imports a file once it has not changed for three seconds, and waits
            longer each time the file grows again after that. A track that contains all of
            a track from an earlier state of its file replaces it in the same way, so a
            growing log ends up as one track.
            """
    ) { arguments, context in
        var mode = try arguments.importMode()
        let library = try await context.library()
        try await library.checkMayAdd()
        mode.keepsOriginals = try await library.value(of: .keepOriginals).bool != false
        var importer = Importer(library: library, mode: mode, context: context)
        let words = arguments.list("FILE")
        if let folder = arguments.option("--watch") {
            guard words.isEmpty else {
                throw UserError.usage("--watch cannot be combined with files")
            }
            return try await ImportWatch(importer: importer, folder: folder).run()
        }
        guard !words.isEmpty else { throw UsageError.missing("FILE", command: "import") }
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
                throw UserError.failure("interrupted after \(count) of \(total)")
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
