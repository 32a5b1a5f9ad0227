/// Reads NMEA 0183 from a receiver, a chart plotter or a log.
///
/// A pure value that accepts input in pieces of any size; ``EpochAssembler`` combines sentences
/// into samples. Reads RMC GGA GLL VTG GSA GST ZDA HDG HDT HDM MWV MWD VHW DPT DBT MTW and XDR of
/// any talker.
///
/// Sentences without a checksum are rejected: most are torn, and half a number is a wrong position.
/// Pass `acceptsMissingChecksum` for a receiver that writes none.
package struct NMEAReader: FeedReader {
    /// Counts of the lines read so far, by outcome.
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

    /// The first UTC offset that a sentence stated.
    var offset: UTCOffset? { interpreter.offset }

    /// The number of epochs whose date neither a sentence nor the fallback gave.
    var undatedCount: Int { interpreter.assembler.undatedCount }

    private var lines = NMEALines()
    private var interpreter: Interpreter

    /// Creates a reader at the start of a stream.
    ///
    /// `fallbackDate` is an instant near the start, such as the wall clock. It is used only if no
    /// sentence states the date; if it is nil too, the samples have no times.
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

    /// Parses the next bytes and returns the completed samples.
    ///
    /// An epoch completes when the next one begins, so samples arrive one epoch late.
    package mutating func feed(_ bytes: [UInt8]) -> [Sample] {
        lines.feed(bytes) { interpreter.read($0) }
        return interpreter.assembler.take()
    }

    /// Returns the samples so far when the feed pauses.
    ///
    /// Later sentences of the same epoch make further samples. `now` is the wall clock, used for
    /// sensor readings from before the first time; if it is nil, they wait for one.
    package mutating func flush(at now: UnixTime? = nil) -> [Sample] {
        interpreter.assembler.flush(at: now)
        return interpreter.assembler.take()
    }

    /// Returns the remaining samples at the end of the stream.
    package mutating func finish() -> [Sample] {
        lines.end { interpreter.read($0) }
        interpreter.assembler.finish()
        return interpreter.assembler.take()
    }

    private struct Interpreter {
        var assembler: EpochAssembler
        let acceptsMissingChecksum: Bool
        var counters = FeedCounters()
        var known: Set<String> = []
        var offset: UTCOffset?

        mutating func read(_ line: ArraySlice<UInt8>) {
            do throws(NMEASentence.Failure) {
                interpret(try NMEASentence(line, acceptsMissingChecksum: acceptsMissingChecksum))
            } catch {
                switch error {
                case .badChecksum: counters.badChecksum += 1
                case .missingChecksum: counters.missingChecksum += 1
                case .unreadable: counters.unreadable += 1
                }
            }
        }

        private mutating func interpret(_ sentence: NMEASentence) {
            guard let reading = NMEAReading(sentence, known: known)
            else { return counters.ignore(sentence.type) }
            counters.sentences += 1
            known.insert(sentence.type)
            if offset == nil { offset = reading.offset }
            assembler.add(reading)
        }
    }
}
