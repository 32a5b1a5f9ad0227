/// The readings of one channel, one integer for each sample that has a reading.
///
/// Sparse columns stay compact: a hostile chunk can name thousands of channels that one sample of
/// 4,096 has.
struct Column: Sendable {
    let channel: Channel
    /// The readings, in the order of the samples.
    private(set) var counts: [Int64]
    /// The samples that have a reading; nil if the first ones do and the rest does not.
    private(set) var presence: Presence?

    init(channel: Channel, counts: [Int64] = [], presence: Presence? = nil) {
        (self.channel, self.counts, self.presence) = (channel, counts, presence)
    }

    /// The reading of a sample, or nil if it has none.
    subscript(index: Int) -> Int64? {
        guard let presence else { return index < counts.count ? counts[index] : nil }
        return presence.place(of: index).map { counts[$0] }
    }

    func has(_ index: Int) -> Bool {
        presence.map { $0.place(of: index) != nil } ?? (index < counts.count)
    }

    /// Returns the readings of a range of samples, as indices of ``counts``.
    func places(of samples: Range<Int>) -> Range<Int> {
        if let presence {
            return presence.rank(of: samples.lowerBound)..<presence.rank(of: samples.upperBound)
        }
        return samples.clamped(to: 0..<counts.count)
    }

    /// Returns which of the 64 samples from `index` on have a reading, the first in the lowest bit.
    func bits(from index: Int) -> UInt64 {
        if let presence { return presence.bits(from: index) }
        let rest = max(counts.count - index, 0)
        return rest < 64 ? (1 << UInt64(rest)) - 1 : .max
    }

    /// Appends the reading of sample `index`, which must be greater than all before.
    mutating func append(_ count: Int64, at index: Int) {
        if presence != nil || index != counts.count {
            presence = presence ?? Presence(first: counts.count)
            presence?.append(index)
        }
        counts.append(count)
    }

    /// Appends the readings of a range of another column's samples, the first at `index`.
    mutating func append(_ other: Column, _ samples: Range<Int>, at index: Int) {
        let places = other.places(of: samples)
        guard !places.isEmpty else { return }
        let isFull = presence == nil && index == counts.count && places.count == samples.count
        if !isFull {
            presence = presence ?? Presence(first: counts.count)
            for sample in samples where other.has(sample) {
                presence?.append(index + sample - samples.lowerBound)
            }
        }
        counts += other.counts[places]
    }

    /// Removes all readings but keeps their room.
    mutating func removeAll() {
        counts.removeAll(keepingCapacity: true)
        presence = nil
    }
}
