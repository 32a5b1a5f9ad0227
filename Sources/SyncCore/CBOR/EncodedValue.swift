/// Finds the ends of encoded values that were checked when they were stored.
package enum EncodedValue {
    /// Returns the index after the value that begins at `start`, or nil if the bytes end before.
    ///
    /// Reads only the heads of its items: text and numbers are not checked again.
    package static func end(in bytes: [UInt8], from start: Int) -> Int? {
        var (index, items) = (start, 1)
        while items > 0 {
            guard index < bytes.count else { return nil }
            let (type, short) = (bytes[index] >> 5, bytes[index] & 31)
            let byteCount = short < 24 ? 0 : 1 << Int(short - 24)
            index += 1
            guard short < 28, byteCount <= bytes.count - index else { return nil }
            let argument =
                short < 24
                ? UInt64(short) : UInt64(bigEndian: bytes[index..<index + byteCount])
            index += byteCount
            items -= 1
            switch CBORType(rawValue: type) {
            case .bytes, .text:
                guard argument <= UInt64(bytes.count - index) else { return nil }
                index += Int(argument)
            case .array, .map:
                // Each item takes a byte at least.
                guard argument <= UInt64(bytes.count - index) else { return nil }
                items += type == CBORType.map.rawValue ? 2 * Int(argument) : Int(argument)
            default: break
            }
        }
        return index
    }
}
