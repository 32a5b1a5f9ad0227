import SyncCore

/// NMEA 0183, as it comes and with all checksums taken off, for no fuzzer computes those.
enum NMEATarget {
    static func check(_ input: [UInt8]) {
        check(input, acceptsMissingChecksum: false)
        check(withoutChecksums(input), acceptsMissingChecksum: true)
    }

    private static func check(_ input: [UInt8], acceptsMissingChecksum: Bool) {
        let reader = NMEAReader(
            fallbackDate: UnixTime(milliseconds: 1_700_000_000_000),
            acceptsMissingChecksum: acceptsMissingChecksum
        )
        var (whole, pieced, flushed) = (reader, reader, reader)
        let samples = whole.feed(input) + whole.finish()
        var sum: [Sample] = []
        for piece in Pieces(of: input) {
            sum += pieced.feed(Array(piece))
            let early = flushed.feed(Array(piece)) + flushed.flush(at: nil)
            early.forEach(Ranges.receiver.check)
        }
        sum += pieced.finish()
        precondition(sum == samples, "a stream may be cut anywhere")
        precondition(pieced.counters == whole.counters, "lines are counted alike")
        samples.forEach(Ranges.receiver.check)
        flushed.finish().forEach(Ranges.receiver.check)
    }

    private static func withoutChecksums(_ input: [UInt8]) -> [UInt8] {
        var digits = 0
        return input.filter { byte in
            guard byte != UInt8(ascii: "*") else {
                digits = 2
                return false
            }
            let isDigit = digits > 0 && byte > 0x20
            digits = isDigit ? digits - 1 : 0
            return !isDigit
        }
    }
}
