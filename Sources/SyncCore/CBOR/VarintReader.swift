/// Reads varints front to back: unsigned LEB128, seven bits a byte, least significant first.
struct VarintReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    var isAtEnd: Bool { rest.isEmpty }
    var remaining: Int { rest.count }

    /// Returns the next number, which must be complete, in its shortest form and within 64 bits.
    ///
    /// The errors name `offset`.
    mutating func next(at offset: Int) throws(CBORError) -> UInt64 {
        var number: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            guard let byte = rest.popFirst() else { throw .truncated(offset: offset) }
            guard shift < 63 || byte < 2 else { break }
            number |= UInt64(byte & 0x7f) << shift
            guard byte < 0x80 else { continue }
            guard byte > 0 || shift == 0 else { throw .notShortest(offset: offset) }
            return number
        }
        throw .tooLarge(offset: offset)
    }
}

extension [UInt8] {
    /// Appends a number as a varint, in the fewest bytes; see ``VarintReader``.
    mutating func append(varint number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }
}
