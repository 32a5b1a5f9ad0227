internal import SyncCore

/// The sets of one replica, in the order of a log: runs of sets that follow each other.
///
/// A log that devices refilled has the control sets before the others, and may lack sets that are
/// lost for good. What is kept grows with the gaps alone.
struct ReplicaRuns {
    private struct Run {
        var sequences: ClosedRange<UInt64>
        /// The hash that the first set names as its predecessor's.
        var previous: Digest
        /// The hash of the last set.
        var end: Digest
    }

    /// The runs in ascending order: after each is a gap, or a set that does not follow.
    private var runs: [Run] = []

    /// The set with the greatest sequence.
    var head: ReplicaHead? {
        runs.last.map { ReplicaHead(sequence: $0.sequences.upperBound, hash: $0.end) }
    }

    /// Returns the sequences from this one to the end of its run, or nil if the log lacks it.
    func rest(from sequence: UInt64) -> ClosedRange<UInt64>? {
        runs.last { $0.sequences.contains(sequence) }.map { sequence...$0.sequences.upperBound }
    }

    /// Adds a set, and returns whether it and its neighbours name each other.
    ///
    /// Returns false for a second set of one sequence.
    ///
    /// - Parameter previous: the hash that the set names as its predecessor's.
    mutating func add(_ sequence: UInt64, _ hash: Digest, after previous: Digest) -> Bool {
        // The sets of a log come in order, but for a few.
        var index = runs.count
        while index > 0, runs[index - 1].sequences.lowerBound > sequence { index -= 1 }
        if index > 0, runs[index - 1].sequences.contains(sequence) { return false }
        var new = Run(sequences: sequence...sequence, previous: previous, end: hash)
        var follows = sequence != 1 || previous == .zero
        if index > 0, runs[index - 1].sequences.upperBound + 1 == sequence {
            let before = runs[index - 1]
            if before.end == previous {
                index -= 1
                runs.remove(at: index)
                new.sequences = before.sequences.lowerBound...sequence
                new.previous = before.previous
            } else {
                follows = false
            }
        }
        if index < runs.count, runs[index].sequences.lowerBound == sequence + 1 {
            let after = runs[index]
            if after.previous == hash {
                runs.remove(at: index)
                new.sequences = new.sequences.lowerBound...after.sequences.upperBound
                new.end = after.end
            } else {
                follows = false
            }
        }
        runs.insert(new, at: index)
        return follows
    }
}
