extension Column {
    private static let bitmapFlag: UInt8 = 4

    /// Appends channel, form, bitmap, byte length and residuals of a range of samples.
    ///
    /// See ``Chunk``. At least one of the samples has a reading, at `places` of ``counts``.
    func encode(_ samples: Range<Int>, at places: Range<Int>, to bytes: inout ContentBytes) {
        let counts = counts[places]
        let order = Predictor.best(for: counts)
        let everywhere = counts.count == samples.count
        bytes.append(varint: UInt64(channel.number))
        bytes.append(order.rawValue | (everywhere ? 0 : Self.bitmapFlag))
        if !everywhere { appendBitmap(of: samples, to: &bytes) }
        bytes.append(residuals: counts, order)
    }

    private func appendBitmap(of samples: Range<Int>, to bytes: inout ContentBytes) {
        for start in stride(from: samples.lowerBound, to: samples.upperBound, by: 64) {
            let rest = samples.upperBound - start
            let bits = bits(from: start) & (rest < 64 ? (1 << UInt64(rest)) - 1 : .max)
            for place in 0..<min((rest + 7) / 8, 8) {
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt64(8 * place)))
            }
        }
    }

    /// Decodes a column and rejects any encoding that the encoder would not write.
    init(
        from reader: inout ChunkReader,
        sampleCount: Int,
        after previous: Channel?
    ) throws(ChunkError) {
        let start = reader.offset
        guard let number = try UInt16(exactly: reader.varint())
        else { throw .notCanonical(offset: start) }
        let form = try reader.byte()
        guard (previous?.number).map({ $0 < number }) ?? true, form < Self.bitmapFlag * 2,
            let order = Predictor.Order(rawValue: form % Self.bitmapFlag)
        else { throw .notCanonical(offset: start) }
        var presence: Presence?
        if form >= Self.bitmapFlag {
            let bitmap = try reader.bytes[reader.take((sampleCount + 7) / 8)]
            let decoded = Presence(bitmap: bitmap)
            guard (1..<sampleCount).contains(decoded.count),
                decoded.rank(of: sampleCount) == decoded.count
            else { throw .notCanonical(offset: start) }
            presence = decoded
        }
        let counts = try Self.counts(presence?.count ?? sampleCount, order, from: &reader)
        self.init(channel: Channel(number: number), counts: counts, presence: presence)
    }

    private static func counts(
        _ count: Int,
        _ order: Predictor.Order,
        from reader: inout ChunkReader
    ) throws(ChunkError) -> [Int64] {
        let byteCount = try reader.count(limit: reader.remaining)
        let end = reader.offset + byteCount
        // Each residual takes a byte, so the bytes left bound the allocation.
        guard count <= byteCount, byteCount <= reader.remaining
        else { throw .truncated(offset: end) }
        let counts = try reader.counts(count, order, until: end)
        guard reader.offset == end, Predictor.best(for: counts[...]) == order
        else { throw .notCanonical(offset: reader.offset) }
        return counts
    }
}
