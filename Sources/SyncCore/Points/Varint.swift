/// Unsigned LEB128: seven bits a byte, least significant first, in the fewest bytes.
enum Varint {
    /// The most bytes of a number.
    static let byteLimit = 10

    /// Interleaves the signs, so that small magnitudes become small numbers.
    static func zigzag(_ number: Int64) -> UInt64 {
        UInt64(bitPattern: number &<< 1 ^ number &>> 63)
    }

    /// The inverse of ``zigzag(_:)``.
    static func unzigzag(_ number: UInt64) -> Int64 {
        Int64(bitPattern: number &>> 1) ^ (0 &- Int64(bitPattern: number & 1))
    }
}

/// The bytes of a payload while it is encoded.
struct ContentBytes {
    private(set) var bytes: [UInt8] = []
    /// Room for the residuals of a column, whose length precedes them.
    private var room: [UInt8] = []

    mutating func append(_ byte: UInt8) { bytes.append(byte) }

    mutating func append(varint number: UInt64) {
        bytes.append(varint: number)
    }

    /// Appends the byte length of the residuals and the residuals.
    mutating func append(residuals counts: ArraySlice<Int64>, _ order: Predictor.Order) {
        let limit = counts.count * Varint.byteLimit
        if room.count < limit { room = [UInt8](repeating: 0, count: limit) }
        let byteCount = encode(counts, order)
        append(varint: UInt64(byteCount))
        bytes += room[..<byteCount]
    }

    /// Writes the residuals into the room and returns their byte length.
    private mutating func encode(_ counts: ArraySlice<Int64>, _ order: Predictor.Order) -> Int {
        var predictor = Predictor(order: order)
        var room = room.mutableSpan
        var offset = 0
        for count in counts {
            var rest = Varint.zigzag(predictor.residual(of: count))
            while rest >= 0x80 {
                room[offset] = UInt8(truncatingIfNeeded: rest) | 0x80
                offset += 1
                rest >>= 7
            }
            room[offset] = UInt8(truncatingIfNeeded: rest)
            offset += 1
        }
        return offset
    }
}

/// A reader of a chunk's payload, front to back.
struct ChunkReader {
    let bytes: [UInt8]
    private(set) var offset = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var remaining: Int { bytes.count - offset }

    mutating func byte() throws(ChunkError) -> UInt8 {
        guard offset < bytes.count else { throw .truncated(offset: offset) }
        defer { offset += 1 }
        return bytes[offset]
    }

    mutating func take(_ count: Int) throws(ChunkError) -> Range<Int> {
        guard count <= remaining else { throw .truncated(offset: bytes.count) }
        defer { offset += count }
        return offset..<offset + count
    }

    /// Reads a number; throws `.notCanonical` unless it is in shortest form and fits 64 bits.
    mutating func varint() throws(ChunkError) -> UInt64 {
        var number: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 70, by: 7) {
            let next = try byte()
            number |= UInt64(next & 0x7f) &<< shift
            guard next < 0x80 else { continue }
            guard next > 0 || shift == 0, next < 2 || shift < 63 else { break }
            return number
        }
        throw .notCanonical(offset: offset)
    }

    /// Reads a count up to `limit`, which bounds every allocation.
    mutating func count(limit: Int) throws(ChunkError) -> Int {
        let start = offset
        guard let count = try Int(exactly: varint()), count <= limit
        else { throw .tooMany(offset: start) }
        return count
    }

    /// Reads the residuals of a column and returns its counts; the caller bounds their number.
    mutating func residuals(
        _ count: Int,
        _ order: Predictor.Order
    ) throws(ChunkError) -> [Int64] {
        var counts = [Int64](repeating: 0, count: count)
        var predictor = Predictor(order: order)
        // A second reference, because the general loop changes `self`.
        let bytes = bytes
        let span = bytes.span
        var room = counts.mutableSpan
        for place in 0..<count {
            let number: UInt64
            // Nearly all residuals take one or two bytes; the general loop would triple the time.
            if offset + 1 < span.count, span[offset] < 0x80 || 1..<0x80 ~= span[offset + 1] {
                let (low, high) = (UInt64(span[offset]), UInt64(span[offset + 1]))
                let hasHigh = low >> 7
                number = low & 0x7f | (high << 7) & (0 &- hasHigh)
                offset += 1 + Int(hasHigh)
            } else {
                number = try varint()
            }
            room[place] = predictor.count(from: Varint.unzigzag(number))
        }
        return counts
    }
}
