/// Reads deterministic CBOR strictly: whatever it accepts encodes back to the same bytes.
///
/// The rules stand at the head of `wire-format.cddl`. Lengths are checked against the bytes that
/// are left before anything is allocated; byte strings are slices of the input.
package struct CBORDecoder {
    private let input: ArraySlice<UInt8>
    private var index: Int
    private var depth = 0

    /// Arrays and maps nest no deeper.
    package static let depthLimit = 16
    /// No text is longer.
    package static let textByteLimit = 16 * 1024

    package init(_ bytes: some Collection<UInt8>) {
        input = (bytes as? ArraySlice<UInt8>) ?? ArraySlice(bytes)
        index = input.startIndex
    }

    /// Whether everything was read.
    package var isAtEnd: Bool { index == input.endIndex }

    /// Where the next item starts, counted from the start of the input.
    package var offset: Int { index - input.startIndex }

    /// Fails unless everything was read.
    package func finish() throws(CBORError) {
        guard isAtEnd else { throw .trailingBytes(offset: offset) }
    }

    /// A whole number at least 0, below 2^63.
    package mutating func unsigned() throws(CBORError) -> UInt64 {
        try head(.unsigned)
    }

    /// A whole number at least 0 that fits `Int`.
    package mutating func count() throws(CBORError) -> Int {
        Int(try head(.unsigned))
    }

    /// A byte string, as a slice of the input.
    package mutating func bytes() throws(CBORError) -> ArraySlice<UInt8> {
        try slice(count: try head(.bytes))
    }

    /// A byte string of exactly `count` bytes.
    package mutating func bytes(count: Int) throws(CBORError) -> ArraySlice<UInt8> {
        let start = offset
        let bytes = try bytes()
        guard bytes.count == count else { throw .unexpected(offset: start) }
        return bytes
    }

    /// A text string of at most ``textByteLimit`` bytes.
    package mutating func text() throws(CBORError) -> Text {
        let start = offset
        let count = try head(.text)
        guard count <= UInt64(Self.textByteLimit) else { throw .tooLarge(offset: start) }
        guard let text = Text(utf8: try slice(count: count)) else {
            throw .invalidText(offset: start)
        }
        return text
    }

    /// The head of an array; as many items follow.
    package mutating func array() throws(CBORError) -> Int {
        try container(.array, itemsEach: 1)
    }

    /// The head of an array of exactly `count` items.
    package mutating func array(count: Int) throws(CBORError) {
        let start = offset
        guard try array() == count else { throw .unexpected(offset: start) }
    }

    /// The head of a map; as many pairs follow.
    package mutating func map() throws(CBORError) -> Int {
        try container(.map, itemsEach: 2)
    }

    /// The tag `number`.
    package mutating func tag(_ number: UInt64) throws(CBORError) {
        let start = offset
        guard try head(.tag) == number else { throw .unexpected(offset: start) }
    }

    /// True or false.
    package mutating func bool() throws(CBORError) -> Bool {
        let start = offset
        guard case .bool(let truth) = try value() else { throw .unexpected(offset: start) }
        return truth
    }

    /// A map whose keys are whole numbers from 0; `body` reads the value of each key it knows and
    /// returns false for the others, which are read over whatever they are.
    package mutating func integerMap(
        _ body: (UInt64, inout CBORDecoder) throws(CBORError) -> Bool
    ) throws(CBORError) {
        let pairs = try map()
        depth += 1
        defer { depth -= 1 }
        var previous: UInt64?
        for _ in 0..<pairs {
            let start = offset
            let key = try unsigned()
            if let previous, key <= previous { throw .keysNotAscending(offset: start) }
            previous = key
            if try !body(key, &self) { _ = try item() }
        }
    }

    /// Reads over one value that lies `levels` deep already, and returns its bytes.
    package mutating func encodedValue(
        below levels: Int = 0
    ) throws(CBORError) -> ArraySlice<UInt8> {
        let (start, outside) = (index, depth)
        depth = max(depth, levels)
        _ = try value()
        depth = outside
        return input[start..<index]
    }
}

extension CBORDecoder {
    /// Reads over one item, and returns its bytes.
    ///
    /// Its maps may have keys of any kind: what a later version means by them is not known here.
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

    /// Any value of a cell.
    package mutating func value() throws(CBORError) -> Value {
        let start = offset
        guard let first = input[index...].first, let type = CBORType(rawValue: first >> 5) else {
            throw .truncated(offset: offset)
        }
        switch type {
        case .unsigned: return .integer(Int64(try head(.unsigned)))
        case .negative: return .integer(-1 - Int64(try head(.negative)))
        case .bytes: return .bytes(Array(try bytes()))
        case .text: return .text(try text())
        case .array: return try nested { (decoder) throws(CBORError) in try decoder.list() }
        case .map: return try nested { (decoder) throws(CBORError) in try decoder.textMap() }
        case .tag: throw .unexpected(offset: start)
        case .simple: return try simple()
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

    private mutating func textMap() throws(CBORError) -> Value {
        var values: [Text: Value] = [:]
        var previous: Text?
        for _ in 0..<(try map()) {
            let start = offset
            let key = try text()
            if let previous, key <= previous { throw .keysNotAscending(offset: start) }
            previous = key
            values[key] = try value()
        }
        return .map(values)
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
            return try float(
                Double(bitPattern: try bigEndian(byteCount: 8)),
                width: 8,
                at: start
            )
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
        guard let first = input[index...].first else { throw .truncated(offset: start) }
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

    private mutating func container(
        _ type: CBORType,
        itemsEach: UInt64
    ) throws(CBORError) -> Int {
        let start = offset
        let count = try head(type)
        guard count <= UInt64(input.endIndex - index) / itemsEach else {
            throw .truncated(offset: start)
        }
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

/// Why bytes are not the CBOR that was expected; `offset` counts from the start of the input.
public enum CBORError: Error, Hashable {
    /// The input ends inside an item, or a length goes beyond it.
    case truncated(offset: Int)
    /// Another kind of item, a tag, or a simple value that has no place here.
    case unexpected(offset: Int)
    /// A length, integer or float that fits a shorter form.
    case notShortest(offset: Int)
    /// NaN or infinity.
    case notFinite(offset: Int)
    /// An integer of 2^63 or more, or below -2^63.
    case tooLarge(offset: Int)
    /// Text that is not valid UTF-8.
    case invalidText(offset: Int)
    /// A map key that does not come after the one before it.
    case keysNotAscending(offset: Int)
    /// Deeper than is read: 16 levels, the structure of the message included.
    case tooDeep(offset: Int)
    /// Bytes after the item.
    case trailingBytes(offset: Int)
}
