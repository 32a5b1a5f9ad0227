/// Unsigned LEB128: seven bits a byte, least significant first, in the fewest bytes.
enum Varint {
    /// Returns the bytes that a number takes: 1 to 10.
    static func byteCount(of number: UInt64) -> Int {
        (64 - (number | 1).leadingZeroBitCount + 6) / 7
    }

    /// Interleaves the signs, so that small magnitudes become small numbers.
    static func zigzag(_ number: Int64) -> UInt64 {
        UInt64(bitPattern: number &<< 1 ^ number &>> 63)
    }

    /// The inverse of ``zigzag(_:)``.
    static func unzigzag(_ number: UInt64) -> Int64 {
        Int64(bitPattern: number &>> 1) ^ (0 &- Int64(bitPattern: number & 1))
    }
}

/// The content of a chunk of samples while it is encoded.
struct ContentBytes {
    private(set) var bytes: [UInt8] = []
    /// Where compression begins a new block: what follows has another distribution.
    private(set) var blocks: [Int] = []
    /// The residuals of a column, while they are written plane by plane.
    private var residuals: [UInt64] = []

    /// Smaller blocks would lose more by their tables than they gain.
    private static let blockByteCount = 512

    mutating func append(_ byte: UInt8) { bytes.append(byte) }

    mutating func append(varint number: UInt64) {
        bytes.append(varint: number)
    }

    /// Begins a new block of compression, unless the present one is small.
    mutating func beginBlock() {
        if bytes.count - (blocks.last ?? 0) >= Self.blockByteCount { blocks.append(bytes.count) }
    }

    /// Appends the byte length of the residuals and their planes.
    mutating func append(residuals counts: ArraySlice<Int64>, _ order: Predictor.Order) {
        append(varint: UInt64(predict(counts, order)))
        var count = counts.count
        while count > 0 {
            beginBlock()
            count = Self.appendPlane(of: &residuals, count, to: &bytes)
        }
    }

    /// Computes the residuals and returns the bytes that they take.
    private mutating func predict(_ counts: ArraySlice<Int64>, _ order: Predictor.Order) -> Int {
        if residuals.count < counts.count {
            residuals = [UInt64](repeating: 0, count: counts.count)
        }
        var predictor = Predictor(order: order)
        var room = residuals.mutableSpan
        var (place, byteCount) = (0, 0)
        for count in counts {
            let residual = Varint.zigzag(predictor.residual(of: count))
            room[place] = residual
            place += 1
            byteCount += Varint.byteCount(of: residual)
        }
        return byteCount
    }

    /// Appends the next byte of the first residuals, moves those that continue to the front and
    /// returns their number.
    private static func appendPlane(
        of residuals: inout [UInt64],
        _ count: Int,
        to bytes: inout [UInt8]
    ) -> Int {
        let start = bytes.count
        bytes += repeatElement(0, count: count)
        var plane = bytes.mutableSpan
        var residuals = residuals.mutableSpan
        var rest = 0
        for place in 0..<count {
            let residual = residuals[place]
            let hasMore = residual >= 0x80
            plane[start + place] = UInt8(residual & 0x7f) | (hasMore ? 0x80 : 0)
            residuals[rest] = residual &>> 7
            rest += hasMore ? 1 : 0
        }
        return rest
    }
}

/// A reader of a chunk's content, front to back.
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

    /// Reads the planes of a column's residuals and returns its counts.
    ///
    /// The planes end at `end`; the caller has checked that the first one fits.
    mutating func counts(
        _ count: Int,
        _ order: Predictor.Order,
        until end: Int
    ) throws(ChunkError) -> [Int64] {
        var residuals = [UInt64](repeating: 0, count: count)
        var places = (0..<Int32(count)).map { $0 }
        var shift: UInt64 = 0
        while !places.isEmpty {
            guard places.count <= end - offset else { throw .truncated(offset: end) }
            let rest = try readPlane(of: &residuals, at: &places, shift)
            offset += places.count
            places.removeSubrange(rest...)
            shift += 7
        }
        var predictor = Predictor(order: order)
        return residuals.map { predictor.count(from: Varint.unzigzag($0)) }
    }

    /// Reads a byte for each residual at `places`, moves the places of those that continue to the
    /// front and returns their number.
    private func readPlane(
        of residuals: inout [UInt64],
        at places: inout [Int32],
        _ shift: UInt64
    ) throws(ChunkError) -> Int {
        let plane = bytes.span
        var residuals = residuals.mutableSpan
        var places = places.mutableSpan
        var (rest, isCanonical) = (0, true)
        for index in 0..<places.count {
            let (byte, place) = (plane[offset + index], places[index])
            residuals[Int(place)] |= UInt64(byte & 0x7f) &<< shift
            let hasMore = byte >= 0x80
            places[rest] = place
            rest += hasMore ? 1 : 0
            isCanonical = isCanonical && (byte > 0 || shift == 0) && (byte < 2 || shift < 63)
        }
        guard isCanonical else { throw .notCanonical(offset: offset) }
        return rest
    }
}
