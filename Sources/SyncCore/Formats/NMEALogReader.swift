/// Reads a log of NMEA 0183: one track.
package struct NMEALogReader: RecordingReader {
    private var reader: NMEAReader
    private var samples = PackedSamples()

    /// A reader at the start of a log; `date` is an instant near that of the recording.
    package init(near date: UnixTime) {
        reader = NMEAReader(fallbackDate: date)
    }

    package mutating func feed(_ bytes: [UInt8]) throws(FormatError) {
        samples.append(contentsOf: reader.feed(bytes))
    }

    /// Throws ``FormatError/Reason/useless(_:)`` where not one sentence can be used.
    package mutating func finish() throws(FormatError) -> ImportedFile {
        let file = salvage()
        guard reader.counters.sentences > 0 else {
            throw FormatError(line: 1, column: 1, reason: .useless(reader.counters))
        }
        return file
    }

    package mutating func salvage() -> ImportedFile {
        samples.append(contentsOf: reader.finish())
        samples.close()
        var file = ImportedFile()
        var track = ImportedTrack(samples: samples)
        track.note(reader.offset)
        file.tracks = [track]
        file.passOver(.badChecksum, reader.counters.badChecksum)
        file.passOver(.missingChecksum, reader.counters.missingChecksum)
        file.passOver(.line, reader.counters.unreadable)
        return file
    }
}
