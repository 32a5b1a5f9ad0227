/// Reads NMEA 0183 as a receiver, a chart plotter or a log gives it.
///
/// A pure value: bytes in, samples out, in any pieces; see ``EpochAssembler`` for how sentences
/// become samples. Understood are RMC GGA GLL VTG GSA GST ZDA HDG HDT HDM MWV MWD VHW DPT DBT MTW
/// and XDR of any talker.
///
/// A sentence without checksum is refused: it is most often the torn end of one, and half a number
/// is a wrong place. Pass `acceptsMissingChecksum` for a receiver that writes none.
package struct NMEAReader: FeedReader {
    /// What became of the lines so far.
    package var counters: FeedCounters {
        var counters = interpreter.counters
        counters.unreadable += lines.unreadable
        return counters
    }

    /// The `segment` of the samples to come; see ``Channel/segment``.
    package var segment: Int64? {
        get { interpreter.assembler.segment }
        set { interpreter.assembler.segment = newValue }
    }

    /// The first offset from UTC that a sentence told.
    var offset: UTCOffset? { interpreter.offset }

    /// Times of day whose date neither a sentence nor the fallback told.
    var undatedCount: Int { interpreter.assembler.undatedCount }

    private var lines = NMEALines()
    private var interpreter: Interpreter

    /// A reader at the start of a stream.
    ///
    /// `fallbackDate` is an instant near the start, such as the wall clock; it is used only when no
    /// sentence tells the date. By nil the samples have no times then.
    package init(
        fallbackDate: UnixTime?,
        segment: Int64? = 0,
        acceptsMissingChecksum: Bool = false
    ) {
        interpreter = Interpreter(
            assembler: EpochAssembler(fallback: fallbackDate, segment: segment),
            acceptsMissingChecksum: acceptsMissingChecksum
        )
    }

    /// Reads on; returns the samples that are complete.
    ///
    /// An epoch is complete when the next one begins, so its samples come a second late.
    package mutating func feed(_ bytes: [UInt8]) -> [Sample] {
        lines.feed(bytes) { interpreter.read($0) }
        return interpreter.assembler.take()
    }

    /// Returns what has come so far, as samples, when the feed pauses.
    ///
    /// What comes later of the same epoch makes further samples. `now` is the wall clock, for
    /// readings of sensors that came before any time; without it they wait for one.
    package mutating func flush(at now: UnixTime? = nil) -> [Sample] {
        interpreter.assembler.flush(at: now)
        return interpreter.assembler.take()
    }

    /// Returns all that is left, at the end of the stream.
    package mutating func finish() -> [Sample] {
        lines.end { interpreter.read($0) }
        interpreter.assembler.finish()
        return interpreter.assembler.take()
    }

    /// Turns lines into readings.
    private struct Interpreter {
        var assembler: EpochAssembler
        let acceptsMissingChecksum: Bool
        var counters = FeedCounters()
        var known: Set<String> = []
        var offset: UTCOffset?

        mutating func read(_ line: ArraySlice<UInt8>) {
            do throws(NMEASentence.Failure) {
                let sentence = try NMEASentence(
                    line,
                    acceptsMissingChecksum: acceptsMissingChecksum
                )
                interpret(sentence)
            } catch {
                switch error {
                case .badChecksum: counters.badChecksum += 1
                case .missingChecksum: counters.missingChecksum += 1
                case .unreadable: counters.unreadable += 1
                }
            }
        }

        private mutating func interpret(_ sentence: NMEASentence) {
            guard let reading = NMEAReading(sentence, known: known) else {
                return counters.ignore(sentence.type)
            }
            counters.sentences += 1
            known.insert(sentence.type)
            if offset == nil { offset = reading.offset }
            assembler.add(reading)
        }
    }
}
