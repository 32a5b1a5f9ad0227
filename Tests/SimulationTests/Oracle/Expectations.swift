@testable import SyncCore

/// What one database owes to its person: what they wrote and recorded there, and it took.
struct Expectations: Sendable {
    /// The values of which one must be in the log; nil among them where none need be.
    private(set) var values: [Key: Set<[UInt8]?>] = [:]
    /// Samples by track.
    private(set) var samples: [Identifier: Set<Sample>] = [:]

    /// The database took a value.
    mutating func note(_ value: Value, at key: Key) {
        values[key] = [value.encoded]
    }

    /// Nobody can tell whether the database took a value.
    mutating func noteUncertain(_ value: Value, at key: Key) {
        values[key, default: [nil]].insert(value.encoded)
    }

    mutating func note(_ samples: [Sample], of track: Identifier) {
        self.samples[track, default: []].formUnion(samples)
    }

    /// The database is another device now: the settings of the old one are the new one's, as far as
    /// they had won.
    mutating func move(from old: Identifier, to new: Identifier) {
        let moved = values.filter { $0.key.row == Row.device(old) }
        for (key, candidates) in moved {
            values[key] = nil
            let key = Key(key.collection, Row.device(new), key.field)
            values[key, default: []].formUnion(candidates.union([nil]))
        }
    }

    /// The database is one of two: what it was at an earlier time, or any state since.
    mutating func mayBe(_ earlier: Expectations) {
        for (key, present) in values {
            values[key] = present.union(earlier.values[key] ?? [nil])
        }
        samples = earlier.samples
    }
}
