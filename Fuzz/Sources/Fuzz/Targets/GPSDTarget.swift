import SyncCore

/// What a gpsd sends, in any pieces, with pauses between them.
enum GPSDTarget {
    static func check(_ input: [UInt8]) {
        let reader = GPSDReader(after: UnixTime(milliseconds: 1_534_758_456_000))
        var (whole, pieced, flushed) = (reader, reader, reader)
        let samples = whole.feed(input) + whole.finish()
        var sum: [Sample] = []
        var now = UnixTime(milliseconds: 1_700_000_000_000)
        for piece in Pieces(of: input) {
            sum += pieced.feed(Array(piece))
            let early = flushed.feed(Array(piece)) + flushed.flush(at: now)
            check(early)
            now.milliseconds += 500
        }
        sum += pieced.finish()
        precondition(sum == samples, "a stream may be cut anywhere")
        precondition(pieced.counters == whole.counters, "lines are counted alike")
        check(samples)
        check(flushed.finish())
    }

    private static func check(_ samples: [Sample]) {
        samples.forEach(Ranges.receiver.check)
        precondition(samples.allSatisfy { $0.time != nil }, "what is recorded has a time")
        precondition(samples.allSatisfy { $0.readings.count > 1 }, "and says something")
    }
}
