/// What builds tracks from the elements of one format's documents.
protocol XMLRecording: XMLHandler {
    /// What was read so far.
    var file: ImportedFile { get }

    /// Ends the track that is being read, if there is one.
    func endTrack()
}

/// Reads a document of XML piece by piece.
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
        return recording.file
    }
}
