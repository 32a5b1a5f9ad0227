/// What became of one push item.
package enum PushResult: Equatable, Sendable {
    /// It has a position and a verdict, for ever; the reason is empty when it was accepted.
    case judged(position: UInt64, Verdict, reason: String)
    /// Nothing was changed: `problem` is a type of `http-api.md`; `sequence` is the one that the
    /// server expects next.
    case failed(problem: String, sequence: UInt64)
}

/// The last set of a replica that a log holds.
package struct ReplicaHead: Hashable, Sendable {
    /// Its sequence.
    package let sequence: UInt64
    /// Its hash.
    package let hash: Digest

    package init(sequence: UInt64, hash: Digest) {
        self.sequence = sequence
        self.hash = hash
    }
}
