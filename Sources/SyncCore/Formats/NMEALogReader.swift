/// Reads a log of NMEA 0183: one track.
///
/// What no sentence of the log dates has no times: the date of the file and the clock of the machine
/// differ from device to device, and the track would with them.
package struct NMEALogReader: RecordingReader {
    private var reader = NMEAReader(fallbackDate: nil)
    private var samples = PackedSamples()

    /// A reader at the start of a log.
    package init() {}

    package mutating func feed(_ bytes: [UInt8]) throws(FormatError) {
        samples.append(contentsOf: reader.feed(bytes))
    }

    /// Throws ``FormatError/Reason/useless(_:)`` where not one sentence can be used, and
    /// ``FormatError/Reason/noFix`` where they are but those of a receiver without a fix.
    package mutating func finish() throws(FormatError) -> ImportedFile {
        let file = salvage()
        guard reader.counters.sentences > 0 else {
            throw FormatError(line: 1, column: 1, reason: .useless(reader.counters))
        }
        guard !samples.isEmpty else {
            throw FormatError(line: 1, column: 1, reason: .noFix)
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
        file.passOver(.timeOfDay, reader.undatedCount)
        return file
    }
}
