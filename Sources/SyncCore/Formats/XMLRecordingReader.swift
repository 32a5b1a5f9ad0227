/// What builds tracks from the elements of one format's documents.
protocol XMLRecording: XMLHandler {
    /// What was read so far.
    var file: ImportedFile { get }

    /// Ends the track that is being read, if there is one.
    func endTrack()

    /// Leaves out the point that is being read, of which something is impossible.
    func passOverPoint()
}

extension XMLRecording {
    /// What is wrong with one point is no reason to lose the others.
    func readsOn(after reason: FormatError.Reason) -> Bool {
        guard reason.isOfOnePoint else { return false }
        passOverPoint()
        return true
    }
}

/// Reads a document of XML piece by piece; a point with a value that is impossible ends it only when
/// all else was read.
final class XMLRecordingReader: RecordingReader {
    private let recording: any XMLRecording
    private let parser: XMLParser

    /// A reader at the start of a document.
    init(_ recording: any XMLRecording) {
        self.recording = recording
        parser = XMLParser(handler: recording)
    }

    func feed(_ bytes: [UInt8]) throws(FormatError) {
        try parser.feed(bytes)
    }

    func finish() throws(FormatError) -> ImportedFile {
        try parser.finish()
        return recording.file
    }

    func salvage() -> ImportedFile {
        recording.endTrack()
        var file = recording.file
        file.fault = parser.fault
        return file
    }
}
