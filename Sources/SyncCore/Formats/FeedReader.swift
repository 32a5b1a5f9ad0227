/// Turns what a receiver sends into samples, as it comes.
///
/// A pure value: bytes in, samples out, in any pieces.
package protocol FeedReader: Sendable {
    /// What became of the lines so far.
    var counters: FeedCounters { get }

    /// Reads on; returns the samples that are complete.
    mutating func feed(_ bytes: [UInt8]) -> [Sample]

    /// Returns what has come so far, as samples, when the feed pauses; `now` is the wall clock, for
    /// readings that came before any time.
    mutating func flush(at now: UnixTime?) -> [Sample]

    /// Returns all that is left, at the end of the feed.
    mutating func finish() -> [Sample]
}

/// What became of the lines of a feed.
package struct FeedCounters: Hashable, Sendable {
    /// Sentences or reports that were understood.
    package internal(set) var sentences = 0
    /// Sentences whose checksum is wrong.
    package internal(set) var badChecksum = 0
    /// Sentences without a checksum.
    package internal(set) var missingChecksum = 0
    /// Lines that are no sentences: comments, noise, too long.
    package internal(set) var unreadable = 0
    /// Sentences of types that mean nothing to us, by type; at most 256 types.
    package private(set) var ignored: [String: Int] = [:]

    private static let ignoredLimit = 256

    /// Nothing came yet.
    package init() {}

    /// Counts a sentence that means nothing to us.
    mutating func ignore(_ type: String) {
        guard ignored.count < Self.ignoredLimit || ignored[type] != nil else { return }
        ignored[type, default: 0] += 1
    }
}
