/// The readings of one channel in a chunk.
struct Column {
    let channel: Channel
    /// A bitmap of the samples that have a reading, least significant bit first, zero-padded.
    private(set) var presence: [UInt8]
    /// The readings of those samples, in order.
    private(set) var counts: [Int64] = []

    init(channel: Channel, sampleCount: Int) {
        self.channel = channel
        presence = [UInt8](repeating: 0, count: (sampleCount + 7) / 8)
    }

    /// Appends the reading of sample `index`, which must be greater than all before.
    mutating func append(_ count: Int64, at index: Int) {
        presence[index >> 3] |= 1 << UInt8(index & 7)
        counts.append(count)
    }

    func has(_ index: Int) -> Bool { presence[index >> 3] & 1 << UInt8(index & 7) != 0 }
}

extension Column {
    private static let bitmapFlag: UInt8 = 4

    /// Appends channel, form, bitmap, byte length and residuals (see ``Chunk``).
    func encode(sampleCount: Int, to bytes: inout [UInt8]) {
        let (order, byteCount) = Predictor.best(for: counts)
        let everywhere = counts.count == sampleCount
        Varint.append(UInt64(channel.number), to: &bytes)
        bytes.append(order.rawValue | (everywhere ? 0 : Self.bitmapFlag))
        if !everywhere { bytes += presence }
        Varint.append(UInt64(byteCount), to: &bytes)
        var predictor = Predictor(order: order)
        for count in counts {
            Varint.append(Varint.zigzag(predictor.residual(of: count)), to: &bytes)
        }
    }

    /// Decodes a column and rejects any encoding that ``encode(sampleCount:to:)`` would not write.
    init(
        from reader: inout ChunkReader,
        sampleCount: Int,
        after previous: Channel?
    ) throws(ChunkError) {
        let start = reader.offset
        guard let number = try UInt16(exactly: reader.varint())
        else { throw .notCanonical(offset: start) }
        channel = Channel(number: number)
        let form = try reader.byte()
        guard (previous?.number).map({ $0 < number }) ?? true, form < Self.bitmapFlag * 2,
            let order = Predictor.Order(rawValue: form % Self.bitmapFlag)
        else { throw .notCanonical(offset: start) }
        let present: Int
        if form < Self.bitmapFlag {
            presence = Self.full(sampleCount)
            present = sampleCount
        } else {
            presence = try Array(reader.bytes[reader.take((sampleCount + 7) / 8)])
            present = presence.reduce(0) { $0 + $1.nonzeroBitCount }
            guard (1..<sampleCount).contains(present), Self.isPadded(presence, sampleCount)
            else { throw .notCanonical(offset: start) }
        }
        try decode(from: &reader, order: order, present: present)
    }

    private mutating func decode(
        from reader: inout ChunkReader,
        order: Predictor.Order,
        present: Int
    ) throws(ChunkError) {
        let byteCount = try reader.count(limit: reader.remaining)
        let end = reader.offset + byteCount
        guard present <= byteCount else { throw .truncated(offset: end) }
        counts.reserveCapacity(present)
        var predictor = Predictor(order: order)
        for _ in 0..<present {
            counts.append(predictor.count(from: Varint.unzigzag(try reader.varint())))
        }
        guard reader.offset == end, Predictor.best(for: counts).order == order
        else { throw .notCanonical(offset: reader.offset) }
    }

    private static func full(_ sampleCount: Int) -> [UInt8] {
        var presence = [UInt8](repeating: 0xff, count: (sampleCount + 7) / 8)
        if sampleCount % 8 != 0 { presence[sampleCount / 8] = 1 << UInt8(sampleCount % 8) - 1 }
        return presence
    }

    private static func isPadded(_ presence: [UInt8], _ sampleCount: Int) -> Bool {
        sampleCount % 8 == 0 || presence[sampleCount / 8] >> UInt8(sampleCount % 8) == 0
    }
}

/// A predictor for the counts of a column: the encoder writes only the residuals.
///
/// All arithmetic wraps, so any 64-bit counts survive.
struct Predictor {
    /// The number of times that differences are taken.
    enum Order: UInt8, CaseIterable {
        /// The counts themselves.
        case raw = 0
        /// The difference from the previous count; 0 precedes the first.
        case delta = 1
        /// The difference of the differences; the one before the second count is 0.
        case deltaOfDelta = 2
    }

    let order: Order
    private var previous: Int64 = 0
    private var slope: Int64 = 0
    private var isFirst = true

    init(order: Order) { self.order = order }

    private var prediction: Int64 {
        switch order {
        case .raw: 0
        case .delta: previous
        case .deltaOfDelta: previous &+ slope
        }
    }

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

    /// Returns the order whose residuals have the fewest bits, and their byte count.
    ///
    /// The lowest order wins a tie. Bits predict the size after zstd better than bytes do.
    static func best(for counts: [Int64]) -> (order: Order, byteCount: Int) {
        var best = (order: Order.raw, byteCount: 0)
        var fewestBits = Int.max
        for order in Order.allCases {
            var predictor = Predictor(order: order)
            var (bits, byteCount) = (0, 0)
            for count in counts {
                let residual = Varint.zigzag(predictor.residual(of: count))
                bits += 64 - residual.leadingZeroBitCount
                byteCount += Varint.byteCount(residual)
            }
            guard bits < fewestBits else { continue }
            fewestBits = bits
            best = (order, byteCount)
        }
        return best
    }
}
