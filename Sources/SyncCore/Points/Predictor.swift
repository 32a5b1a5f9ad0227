/// A predictor for the counts of a column: the encoder writes only the residuals.
///
/// All arithmetic wraps, so any 64-bit counts survive.
struct Predictor {
    /// The number of times that differences are taken.
    enum Order: UInt8 {
        /// The counts themselves.
        case raw = 0
        /// The difference from the previous count; 0 precedes the first.
        case delta = 1
        /// The difference of the differences; the one before the second count is 0.
        case deltaOfDelta = 2
    }

    private var previous: Int64 = 0
    private var slope: Int64 = 0
    private var isFirst = true
    /// All bits or none, so that prediction needs no branch.
    private let previousMask: Int64
    private let slopeMask: Int64

    init(order: Order) {
        previousMask = order == .raw ? 0 : -1
        slopeMask = order == .deltaOfDelta ? -1 : 0
    }

    private var prediction: Int64 { (previous & previousMask) &+ (slope & slopeMask) }

    private mutating func advance(to count: Int64) {
        slope = isFirst ? 0 : count &- previous
        previous = count
        isFirst = false
    }

    mutating func residual(of count: Int64) -> Int64 {
        defer { advance(to: count) }
        return count &- prediction
    }

    mutating func count(from residual: Int64) -> Int64 {
        let count = residual &+ prediction
        advance(to: count)
        return count
    }

    /// Returns the order whose residuals have the fewest bits in total; the lowest wins a tie.
    ///
    /// Bits predict the size after zstd better than bytes do. One pass tries all three orders.
    static func best(for counts: ArraySlice<Int64>) -> Order {
        var (raw, delta, deltaOfDelta) = (0, 0, 0)
        var (previous, slope): (Int64, Int64) = (0, 0)
        for place in counts.indices {
            let count = counts[place]
            let difference = count &- previous
            raw += Varint.zigzag(count).bitCount
            delta += Varint.zigzag(difference).bitCount
            deltaOfDelta += Varint.zigzag(difference &- slope).bitCount
            slope = place == counts.startIndex ? 0 : difference
            previous = count
        }
        guard min(delta, deltaOfDelta) < raw else { return .raw }
        return deltaOfDelta < delta ? .deltaOfDelta : .delta
    }
}

extension UInt64 {
    /// The number of significant bits.
    fileprivate var bitCount: Int { 64 - leadingZeroBitCount }
}
