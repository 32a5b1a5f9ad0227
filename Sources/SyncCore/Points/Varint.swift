/// Unsigned LEB128: seven bits a byte, least significant first, in the fewest bytes.
enum Varint {
    /// Returns the number of bytes in a number's encoding, 1 to 10.
    static func byteCount(_ number: UInt64) -> Int {
        (64 - (number | 1).leadingZeroBitCount + 6) / 7
    }

    static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
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
}
