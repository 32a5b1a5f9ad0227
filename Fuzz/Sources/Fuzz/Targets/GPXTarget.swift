import SyncCore

/// GPX documents.
enum GPXTarget {
    static func check(_ input: [UInt8]) {
        let whole = Result { () throws in try GPXFile(parsing: input) }
        let pieced = Result { () throws in try readInPieces(input) }
        switch (whole, pieced) {
        case (.success(let file), .success(let same)):
            precondition(file == same, "a document may be cut anywhere")
            check(file)
        case (.failure, .failure):
            // Which of two faults expat tells of depends on how much of them it has seen.
            break
        default: preconditionFailure("a document is read in pieces as at once")
        }
    }

    private static func readInPieces(_ input: [UInt8]) throws -> GPXFile {
        let reader = GPXReader()
        for piece in Pieces(of: input) { try reader.feed(Array(piece)) }
        return try reader.finish()
    }

    private static func check(_ file: GPXFile) {
        for track in file.tracks {
            track.samples.forEach(Ranges.file.check)
            precondition(track.samples.allSatisfy(\.isPoint), "points have a place")
        }
        var document: [UInt8] = []
        guard (try? GPXWriter.write(file.tracks) { document += $0 }) != nil else {
            preconditionFailure("only the sink throws")
        }
        guard let copy = try? GPXFile(parsing: document) else {
            preconditionFailure("what was written can be read")
        }
        precondition(
            copy.tracks.map(\.samples) == file.tracks.map(\.samples),
            "samples come back as they were read"
        )
    }
}
