/// A strict decoder of deterministic CBOR: accepted input encodes back to the same bytes.
///
/// The head of `wire-format.cddl` lists the rules. Lengths are checked against the remaining bytes
/// before anything is allocated. Byte strings are slices of the input.
package struct CBORDecoder {
    private let input: ArraySlice<UInt8>
    private var index: Int
    private var depth = 0
    private var maps: [OpenMap] = []

    /// The most levels of nested arrays and maps.
    package static let depthLimit = 16
    /// The most bytes of a text string.
    package static let textByteLimit = 16 * 1024

    package init(_ bytes: some Collection<UInt8>) {
        input = (bytes as? ArraySlice<UInt8>) ?? ArraySlice(bytes)
        index = input.startIndex
    }

    /// Whether all input was read.
    package var isAtEnd: Bool { index == input.endIndex }

    /// The offset of the next item from the start of the input.
    package var offset: Int { index - input.startIndex }

    /// Throws ``CBORError/trailingBytes(offset:)`` unless all input was read.
    package func finish() throws(CBORError) {
        guard isAtEnd else { throw .trailingBytes(offset: offset) }
    }

    /// Reads an unsigned integer below 2^63.
    package mutating func unsigned() throws(CBORError) -> UInt64 { try head(.unsigned) }

    /// Reads an unsigned integer whose default, 0, must not be encoded.
    package mutating func nonZero() throws(CBORError) -> UInt64 {
        let start = offset
        let number = try unsigned()
        guard number > 0 else { throw .unexpected(offset: start) }
        return number
    }

    /// Reads an unsigned integer that fits `Int`.
    package mutating func count() throws(CBORError) -> Int { Int(try head(.unsigned)) }

    /// Reads a byte string, as a slice of the input.
    package mutating func bytes() throws(CBORError) -> ArraySlice<UInt8> {
        try slice(count: try head(.bytes))
    }

    /// Reads a byte string of exactly `count` bytes.
    package mutating func bytes(count: Int) throws(CBORError) -> ArraySlice<UInt8> {
        let start = offset
        let bytes = try bytes()
        guard bytes.count == count else { throw .unexpected(offset: start) }
        return bytes
    }

    /// Reads a text string of at most ``textByteLimit`` bytes.
    package mutating func text() throws(CBORError) -> Text {
        Text(validated: try textBytes())
    }

    private mutating func textBytes() throws(CBORError) -> ArraySlice<UInt8> {
        let start = offset
        let count = try head(.text)
        guard count <= UInt64(Self.textByteLimit) else { throw .tooLarge(offset: start) }
        let bytes = try slice(count: count)
        guard Text.isValid(bytes) else { throw .invalidText(offset: start) }
        return bytes
    }

    /// Reads the head of an array and returns the number of items that follow.
    package mutating func array() throws(CBORError) -> Int { try container(.array, itemsEach: 1) }

    /// Reads the head of an array of exactly `count` items.
    package mutating func array(count: Int) throws(CBORError) {
        let start = offset
        guard try array() == count else { throw .unexpected(offset: start) }
    }

    /// Reads the head of a map and returns the number of pairs that follow.
    package mutating func map() throws(CBORError) -> Int { try container(.map, itemsEach: 2) }

    package mutating func tag(_ number: UInt64) throws(CBORError) {
        let start = offset
        guard try head(.tag) == number else { throw .unexpected(offset: start) }
    }

    package mutating func bool() throws(CBORError) -> Bool {
        let start = offset
        guard case .bool(let truth) = try value() else { throw .unexpected(offset: start) }
        return truth
    }

    /// Reads the head of an array that has items, and returns their number.
    package mutating func nonEmptyArray() throws(CBORError) -> Int {
        let start = offset
        let count = try array()
        guard count > 0 else { throw .unexpected(offset: start) }
        return count
    }

    /// Reads an array, each item by `read`; an empty one only if `allowsNone`.
    package mutating func list<Item>(
        allowsNone: Bool = false,
        _ read: (inout CBORDecoder) throws(CBORError) -> Item
    ) throws(CBORError) -> [Item] {
        var items: [Item] = []
        for _ in 0..<(try allowsNone ? array() : nonEmptyArray()) { items.append(try read(&self)) }
        return items
    }

    /// Reads an array of byte strings; an empty one only if `allowsNone`.
    package mutating func byteStrings(allowsNone: Bool = false) throws(CBORError) -> [[UInt8]] {
        try list(allowsNone: allowsNone) { (decoder) throws(CBORError) in
            Array(try decoder.bytes())
        }
    }

    /// Skips one value and returns its bytes.
    ///
    /// The value lies `levels` deep in its message, which counts towards the depth limit.
    package mutating func encodedValue(
        below levels: Int = 0
    ) throws(CBORError) -> ArraySlice<UInt8> {
        let (start, outside) = (index, depth)
        depth = max(depth, levels)
        try skipValue()
        depth = outside
        return input[start..<index]
    }
}

/// Maps with ascending unsigned integer keys; the caller asks for the keys in that order.
extension CBORDecoder {
    private struct OpenMap {
        var pairs: Int
        var previous: UInt64?
        /// A key that was read and not asked for yet.
        var waiting: UInt64?
        /// The last key that was asked for.
        var asked: UInt64?
        /// Keys from here up may be unknown.
        let reserved: UInt64
    }

    /// Opens a map in which only keys from `reserved` up may be unknown.
    package mutating func openMap(reserved: UInt64 = 0) throws(CBORError) {
        maps.append(OpenMap(pairs: try map(), reserved: reserved))
        depth += 1
    }

    /// Reads the next key of the open map, or returns nil after the last.
    package mutating func nextKey() throws(CBORError) -> UInt64? {
        let last = maps.count - 1
        defer { maps[last].waiting = nil }
        if let key = maps[last].waiting { return key }
        guard maps[last].pairs > 0 else { return nil }
        maps[last].pairs -= 1
        let start = offset
        let key = try unsigned()
        if let previous = maps[last].previous, key <= previous {
            throw .keysNotAscending(offset: start)
        }
        maps[last].previous = key
        return key
    }

    /// Returns whether the open map has a key, whose value is then next; skips the keys before it.
    package mutating func has(_ key: UInt64) throws(CBORError) -> Bool {
        let last = maps.count - 1
        precondition(maps[last].asked.map { $0 < key } ?? true, "keys are asked for in order")
        maps[last].asked = key
        while let next = try nextKey() {
            guard next < key else {
                if next > key { maps[last].waiting = next }
                return next == key
            }
            guard next >= maps[last].reserved else { throw .unexpected(offset: offset) }
            _ = try item()
        }
        return false
    }

    /// Skips the remaining keys of the open map.
    package mutating func closeMap() throws(CBORError) {
        _ = try has(.max)
        maps.removeLast()
        depth -= 1
    }
}

extension CBORDecoder {
    /// Skips one item and returns its bytes.
    ///
    /// Maps in it may have keys of any type, because later versions define their meaning.
    package mutating func item() throws(CBORError) -> ArraySlice<UInt8> {
        let start = index
        switch input[index...].first.map({ $0 >> 5 }).flatMap(CBORType.init) {
        case .array:
            try nested { (decoder) throws(CBORError) in
                for _ in 0..<(try decoder.array()) { _ = try decoder.item() }
            }
        case .map: try nested { (decoder) throws(CBORError) in try decoder.anyMap() }
        default: _ = try value()
        }
        return input[start..<index]
    }

    private mutating func anyMap() throws(CBORError) {
        var previous: ArraySlice<UInt8> = []
        for _ in 0..<(try map()) {
            let start = offset
            let key = try item()
            guard previous.lexicographicallyPrecedes(key) else {
                throw .keysNotAscending(offset: start)
            }
            previous = key
            _ = try item()
        }
    }

    /// Reads any value that a cell can hold.
    package mutating func value() throws(CBORError) -> Value {
        let start = offset
        guard let first = input[index...].first, let type = CBORType(rawValue: first >> 5)
        else { throw .truncated(offset: offset) }
        switch type {
        case .unsigned: return .integer(Int64(try head(.unsigned)))
        case .negative: return .integer(-1 - Int64(try head(.negative)))
        case .bytes: return .bytes(Array(try bytes()))
        case .text: return .text(try text())
        case .array: return try nested { (decoder) throws(CBORError) in try decoder.list() }
        case .map: return try nested { (decoder) throws(CBORError) in try decoder.map() }
        case .tag: throw .unexpected(offset: start)
        case .simple: return try simple()
        }
    }

    /// Checks a value like ``value()``, without building it.
    private mutating func skipValue() throws(CBORError) {
        guard index < input.endIndex, let type = CBORType(rawValue: input[index] >> 5)
        else { throw .truncated(offset: offset) }
        switch type {
        case .unsigned, .negative: _ = try head(type)
        case .bytes: _ = try bytes()
        case .text: _ = try textBytes()
        case .array:
            try nested { (decoder) throws(CBORError) in
                for _ in 0..<(try decoder.array()) { try decoder.skipValue() }
            }
        case .map:
            try nested { (decoder) throws(CBORError) in
                try decoder.textMap { (decoder, _) throws(CBORError) in try decoder.skipValue() }
            }
        case .tag: throw .unexpected(offset: offset)
        case .simple: _ = try simple()
        }
    }

    private mutating func nested<Result>(
        _ body: (inout CBORDecoder) throws(CBORError) -> Result
    ) throws(CBORError) -> Result {
        guard depth < Self.depthLimit else { throw .tooDeep(offset: offset) }
        depth += 1
        let result = try body(&self)
        depth -= 1
        return result
    }

    private mutating func list() throws(CBORError) -> Value {
        var values: [Value] = []
        for _ in 0..<(try array()) { values.append(try value()) }
        return .list(values)
    }

    private mutating func map() throws(CBORError) -> Value {
        var values: [Text: Value] = [:]
        try textMap { (decoder, key) throws(CBORError) in values[key] = try decoder.value() }
        return .map(values)
    }

    /// Reads a map with ascending text keys; `read` reads the value of a key.
    private mutating func textMap(
        _ read: (inout CBORDecoder, Text) throws(CBORError) -> Void
    ) throws(CBORError) {
        var previous: Text?
        for _ in 0..<(try map()) {
            let start = offset
            let key = try text()
            if let previous, key <= previous { throw .keysNotAscending(offset: start) }
            previous = key
            try read(&self, key)
        }
    }

    private mutating func simple() throws(CBORError) -> Value {
        let start = offset
        let first = input[index]
        index += 1
        switch first {
        case 0xf4: return .bool(false)
        case 0xf5: return .bool(true)
        case 0xf6: return .null
        case 0xf9:
            let half = HalfFloat(bits: UInt16(try bigEndian(byteCount: 2)))
            return try float(half.double, width: 2, at: start)
        case 0xfa:
            let bits = UInt32(try bigEndian(byteCount: 4))
            return try float(Double(Float(bitPattern: bits)), width: 4, at: start)
        case 0xfb:
            return try float(Double(bitPattern: try bigEndian(byteCount: 8)), width: 8, at: start)
        default: throw .unexpected(offset: start)
        }
    }

    private func float(_ number: Double, width: Int, at start: Int) throws(CBORError) -> Value {
        guard number.isFinite else { throw .notFinite(offset: start) }
        let shortest =
            HalfFloat(exactly: number) != nil ? 2 : Double(Float(number)) == number ? 4 : 8
        guard width == shortest else { throw .notShortest(offset: start) }
        return .float(number)
    }
}

extension CBORDecoder {
    private mutating func head(_ type: CBORType) throws(CBORError) -> UInt64 {
        let start = offset
        guard index < input.endIndex else { throw .truncated(offset: start) }
        let first = input[index]
        guard first >> 5 == type.rawValue else { throw .unexpected(offset: start) }
        index += 1
        let short = first & 31
        guard short >= 24 else { return UInt64(short) }
        guard short <= 27 else { throw .unexpected(offset: start) }
        let byteCount = 1 << (Int(short) - 24)
        let argument = try bigEndian(byteCount: byteCount)
        let least: UInt64 = byteCount == 1 ? 24 : 1 << (4 * UInt64(byteCount))
        guard argument >= least else { throw .notShortest(offset: start) }
        guard argument < 1 << 63 else { throw .tooLarge(offset: start) }
        return argument
    }

    private mutating func container(_ type: CBORType, itemsEach: UInt64) throws(CBORError) -> Int {
        let start = offset
        let count = try head(type)
        guard count <= UInt64(input.endIndex - index) / itemsEach
        else { throw .truncated(offset: start) }
        return Int(count)
    }

    private mutating func slice(count: UInt64) throws(CBORError) -> ArraySlice<UInt8> {
        guard count <= UInt64(input.endIndex - index) else { throw .truncated(offset: offset) }
        let end = index + Int(count)
        defer { index = end }
        return input[index..<end]
    }

    private mutating func bigEndian(byteCount: Int) throws(CBORError) -> UInt64 {
        UInt64(bigEndian: try slice(count: UInt64(byteCount)))
    }
}

/// Why bytes are not the expected CBOR; `offset` counts from the start of the input.
public enum CBORError: Error, Hashable {
    /// The input ends inside an item, or a length exceeds the input.
    case truncated(offset: Int)
    /// An item of another type, or a tag or simple value that is not allowed here.
    case unexpected(offset: Int)
    /// A length, integer or float that has a shorter encoding.
    case notShortest(offset: Int)
    /// NaN or infinity.
    case notFinite(offset: Int)
    /// An integer outside -2^63 to 2^63 - 1, or a length or value over its limit.
    case tooLarge(offset: Int)
    /// Text that is not valid UTF-8.
    case invalidText(offset: Int)
    /// A map key that is not greater than the previous one.
    case keysNotAscending(offset: Int)
    /// Nesting of more than 16 levels, including those of the message.
    case tooDeep(offset: Int)
    /// Bytes after the item.
    case trailingBytes(offset: Int)
}
