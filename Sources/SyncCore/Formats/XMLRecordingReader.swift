/// Builds tracks from the XML elements of one format.
protocol XMLRecording: XMLHandler {
    /// The tracks and places read so far.
    var file: ImportedFile { get }

    /// Ends the current track, if there is one.
    func endTrack()

    /// Drops the current point because one of its values is invalid.
    func passOverPoint()
}

extension XMLRecording {
    /// Continues after an invalid point, so that the others are not lost.
    func readsOn(after reason: FormatError.Reason) -> Bool {
        guard reason.isOfOnePoint else { return false }
        passOverPoint()
        return true
    }
}

/// Reads a recording in XML piece by piece.
///
/// Points with an invalid value are skipped; `finish()` throws the first such error after reading
/// the rest.
final class XMLRecordingReader: RecordingReader {
    private let recording: any XMLRecording
    private let parser: XMLParser

    init(_ recording: any XMLRecording) {
        self.recording = recording
        parser = XMLParser(handler: recording)
    }

    func feed(_ bytes: [UInt8]) throws(FormatError) { try parser.feed(bytes) }

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
