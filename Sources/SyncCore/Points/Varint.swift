/// Unsigned LEB128: seven bits a byte, least significant first, in the fewest bytes.
enum Varint {
    /// How many bytes a number takes, 1 to 10.
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

/// Reads the parts of a chunk's payload from front to back.
struct ChunkReader {
    let bytes: [UInt8]
    private(set) var offset = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// How many bytes are still to be read.
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

    /// A number in its shortest form; anything longer or beyond 64 bits is not canonical.
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

    /// A number no greater than `limit`, which keeps every allocation bounded.
    mutating func count(limit: Int) throws(ChunkError) -> Int {
        let start = offset
        guard let count = try Int(exactly: varint()), count <= limit else {
            throw .tooMany(offset: start)
        }
        return count
    }
}
