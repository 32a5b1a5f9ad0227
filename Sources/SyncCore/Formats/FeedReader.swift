/// Converts a receiver's live feed into samples.
///
/// A pure value that accepts input in pieces of any size.
package protocol FeedReader: Sendable {
    /// Counts of the lines read so far, by outcome.
    var counters: FeedCounters { get }

    /// Parses the next bytes and returns the completed samples.
    mutating func feed(_ bytes: [UInt8]) -> [Sample]

    /// Returns the samples so far when the feed pauses.
    ///
    /// `now` is the wall clock, used for readings from before the first time.
    mutating func flush(at now: UnixTime?) -> [Sample]

    /// Returns the remaining samples at the end of the feed.
    mutating func finish() -> [Sample]
}

/// Counts of a feed's lines, by outcome.
package struct FeedCounters: Hashable, Sendable {
    /// Sentences or reports that were interpreted.
    package internal(set) var sentences = 0
    /// Sentences with a wrong checksum.
    package internal(set) var badChecksum = 0
    package internal(set) var missingChecksum = 0
    /// Lines that are not sentences: comments, noise, overlong lines.
    package internal(set) var unreadable = 0
    /// Sentences of unsupported types, by type; at most 256 types.
    package private(set) var ignored: [String: Int] = [:]

    private static let ignoredLimit = 256

    package init() {}

    mutating func ignore(_ type: String) {
        guard ignored.count < Self.ignoredLimit || ignored[type] != nil else { return }
        ignored[type, default: 0] += 1
    }
}
