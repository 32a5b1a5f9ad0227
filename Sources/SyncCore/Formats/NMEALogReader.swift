/// Reads a log of NMEA 0183 as one track.
///
/// Samples that no sentence dates have no times. The file's date and the machine's clock differ
/// between devices, so a fallback would make the track differ too.
package struct NMEALogReader: RecordingReader {
    private var reader = NMEAReader(fallbackDate: nil)
    private var samples = PackedSamples()

    package mutating func feed(_ bytes: [UInt8]) throws(FormatError) {
        samples.append(contentsOf: reader.feed(bytes))
    }

    /// Throws ``FormatError/Reason/useless(_:)`` if no sentence can be used.
    ///
    /// Throws ``FormatError/Reason/noFix`` if all sentences come from a receiver without a fix.
    package mutating func finish() throws(FormatError) -> ImportedFile {
        let file = salvage()
        guard reader.counters.sentences > 0
        else { throw FormatError(line: 1, column: 1, reason: .useless(reader.counters)) }
        guard !samples.isEmpty else { throw FormatError(line: 1, column: 1, reason: .noFix) }
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
        file.passOver(.timeOfDay, reader.undatedCount)
        return file
    }
}
