import SyncCore

/// Files of recordings.
enum RecordingTarget {
    static func check(_ input: [UInt8], as format: RecordingFormat) {
        let whole = Result { () throws in try format.read(input) }
        var reader = format.reader()
        let pieced = Result { () throws in
            for piece in Pieces(of: input) { try reader.feed(Array(piece)) }
            return try reader.finish()
        }
        switch (whole, pieced) {
        case (.success(let file), .success(let same)):
            precondition(file == same, "a file may be cut anywhere")
            for track in file.tracks { track.samples.forEach(Ranges.file.check) }
            if format == .gpx { checkCopy(of: file) }
        case (.failure, .failure):
            // Which of two faults expat tells of depends on how much of them it has seen.
            for track in reader.salvage().tracks { track.samples.forEach(Ranges.file.check) }
        default: preconditionFailure("a file is read in pieces as at once")
        }
    }

    private static func checkCopy(of file: ImportedFile) {
        precondition(
            file.tracks.allSatisfy { $0.samples.allSatisfy(\.isPoint) },
            "points have a place"
        )
        var document: [UInt8] = []
        guard (try? GPXWriter.write(file.tracks) { document += $0 }) != nil else {
            preconditionFailure("only the sink throws")
        }
        guard let copy = try? RecordingFormat.gpx.read(document) else {
            preconditionFailure("what was written can be read")
        }
        precondition(
            copy.tracks.map(\.samples) == file.tracks.map(\.samples),
            "samples come back as they were read"
        )
    }
}
