/// The samples of a column that have a reading, as a bitmap with a rank for each word.
///
/// It takes a quarter of a byte for each sample, and finds a sample's reading in constant time.
struct Presence: Sendable {
    private struct Word {
        /// 64 samples, the first in the least significant bit.
        var bits: UInt64
        /// The number of readings before the word.
        let rank: Int
    }

    private var words: [Word] = []

    /// Creates a bitmap in which the first `count` samples have a reading.
    init(first count: Int) {
        words.reserveCapacity(count / 64 + 1)
        for start in stride(from: 0, to: count, by: 64) {
            let bits = count - start < 64 ? (1 << UInt64(count - start)) - 1 : UInt64.max
            words.append(Word(bits: bits, rank: start))
        }
    }

    /// Decodes a bitmap of bytes, least significant bit first.
    init(bitmap: ArraySlice<UInt8>) {
        words.reserveCapacity((bitmap.count + 7) / 8)
        var start = bitmap.startIndex
        while start < bitmap.endIndex {
            let end = min(start + 8, bitmap.endIndex)
            let bits = bitmap[start..<end].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            words.append(Word(bits: bits, rank: count))
            start = end
        }
    }

    /// The number of readings.
    var count: Int { words.last.map { $0.rank + $0.bits.nonzeroBitCount } ?? 0 }

    /// Adds the reading of sample `index`, which must be greater than all before.
    mutating func append(_ index: Int) {
        let word = index >> 6
        while words.count <= word { words.append(Word(bits: 0, rank: count)) }
        words[word].bits |= 1 << UInt64(index & 63)
    }

    /// Returns which reading is that of sample `index`, or nil if it has none.
    func place(of index: Int) -> Int? {
        guard index >> 6 < words.count, words[index >> 6].bits >> UInt64(index & 63) & 1 == 1
        else { return nil }
        return rank(of: index)
    }

    /// Returns the number of readings before sample `index`.
    func rank(of index: Int) -> Int {
        guard index >> 6 < words.count else { return count }
        let word = words[index >> 6]
        return word.rank + (word.bits & ((1 << UInt64(index & 63)) - 1)).nonzeroBitCount
    }

    /// Returns which of the 64 samples from `index` on have a reading.
    func bits(from index: Int) -> UInt64 {
        let (word, shift) = (index >> 6, UInt64(index & 63))
        guard word < words.count else { return 0 }
        let low = words[word].bits >> shift
        guard shift > 0, word + 1 < words.count else { return low }
        return low | words[word + 1].bits << (64 - shift)
    }
}
