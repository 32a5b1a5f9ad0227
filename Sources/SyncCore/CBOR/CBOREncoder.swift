/// An encoder of deterministic CBOR (RFC 8949, section 4.2.1): shortest heads, definite lengths.
///
/// The caller writes map keys in ascending order of their encoded bytes; ``value(_:)`` sorts the
/// keys of its maps itself.
package struct CBOREncoder {
    /// The encoded bytes so far.
    package private(set) var bytes: [UInt8] = []

    package init() {}

    /// Creates an encoder with room for some bytes.
    package init(capacity byteCount: Int) { bytes.reserveCapacity(byteCount) }

    /// Begins again with encoded bytes, and keeps the buffer.
    package mutating func restart(with encoded: [UInt8]) {
        bytes.removeAll(keepingCapacity: true)
        bytes += encoded
    }

    /// Writes an unsigned integer, which must be below 2^63.
    package mutating func unsigned(_ number: UInt64) { head(.unsigned, number) }

    /// Writes an integer, which must not be negative.
    package mutating func unsigned(_ number: Int) {
        precondition(number >= 0, "an unsigned integer is not negative")
        head(.unsigned, UInt64(number))
    }

    package mutating func integer(_ number: Int64) {
        if number >= 0 {
            head(.unsigned, UInt64(number))
        } else {
            head(.negative, UInt64(-1 - number))
        }
    }

    package mutating func bytes(_ content: some Collection<UInt8>) {
        head(.bytes, UInt64(content.count))
        bytes.append(contentsOf: content)
    }

    /// Writes an identifier as a byte string of 16.
    package mutating func identifier(_ id: Identifier) {
        head(.bytes, 16)
        let number = id.number
        for shift in stride(from: 120, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }

    package mutating func text(_ text: Text) {
        head(.text, UInt64(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    /// Writes the head of an array; the caller writes `count` items next.
    package mutating func array(_ count: Int) { head(.array, UInt64(count)) }

    /// Writes the head of a map; the caller writes `count` pairs next.
    package mutating func map(_ count: Int) { head(.map, UInt64(count)) }

    /// Writes a tag; the caller writes the tagged item next.
    package mutating func tag(_ number: UInt64) { head(.tag, number) }

    package mutating func null() { bytes.append(0xf6) }

    package mutating func bool(_ truth: Bool) { bytes.append(truth ? 0xf5 : 0xf4) }

    /// Writes a finite number in the shortest width that preserves it.
    package mutating func float(_ number: Double) {
        precondition(number.isFinite, "only finite numbers have a deterministic encoding")
        if let half = HalfFloat(exactly: number) {
            head(0xf9, UInt64(half.bits), byteCount: 2)
        } else if Double(Float(number)) == number {
            head(0xfa, UInt64(Float(number).bitPattern), byteCount: 4)
        } else {
            head(0xfb, number.bitPattern, byteCount: 8)
        }
    }

    /// Writes an item that is already encoded.
    package mutating func encoded(_ item: some Collection<UInt8>) { bytes.append(contentsOf: item) }

    /// Writes any value of a cell, with map keys sorted.
    package mutating func value(_ value: Value) {
        switch value {
        case .null: null()
        case .bool(let truth): bool(truth)
        case .integer(let number): integer(number)
        case .float(let number): float(number)
        case .text(let content): text(content)
        case .bytes(let content): bytes(content)
        case .list(let values):
            array(values.count)
            for value in values { self.value(value) }
        case .map(let pairs):
            map(pairs.count)
            for (key, value) in pairs.sorted(by: { $0.key < $1.key }) {
                text(key)
                self.value(value)
            }
        }
    }

    private mutating func head(_ type: CBORType, _ argument: UInt64) {
        let type = type.rawValue << 5
        switch argument {
        case 0..<24: bytes.append(type | UInt8(argument))
        case 24...0xff: head(type | 24, argument, byteCount: 1)
        case 0x100...0xffff: head(type | 25, argument, byteCount: 2)
        case 0x1_0000...0xffff_ffff: head(type | 26, argument, byteCount: 4)
        default: head(type | 27, argument, byteCount: 8)
        }
    }

    private mutating func head(_ first: UInt8, _ argument: UInt64, byteCount: Int) {
        bytes.append(first)
        for index in (0..<byteCount).reversed() {
            bytes.append(UInt8(truncatingIfNeeded: argument >> (8 * UInt64(index))))
        }
    }
}

extension CBOREncoder {
    /// Writes an array, each item by `write`.
    package mutating func array<Item>(
        _ items: some Collection<Item>,
        _ write: (inout CBOREncoder, Item) -> Void
    ) {
        array(items.count)
        for item in items { write(&self, item) }
    }

    /// Writes a map with integer keys; `body` adds its fields in ascending order.
    package mutating func map(_ body: (inout CBORFields) -> Void) {
        var fields = CBORFields(encoder: self)
        bytes = []
        fields.encoder.map(0)
        let head = fields.encoder.bytes.count - 1
        body(&fields)
        precondition(fields.count < 24, "the count stands in the first byte")
        fields.encoder.bytes[head] |= UInt8(fields.count)
        self = fields.encoder
    }

    /// Returns an encoded map with integer keys; `body` adds its fields in ascending order.
    package static func map(_ body: (inout CBORFields) -> Void) -> [UInt8] {
        var encoder = CBOREncoder()
        encoder.map(body)
        return encoder.bytes
    }
}

/// The fields of a map with integer keys, while the map is written.
package struct CBORFields {
    fileprivate var encoder: CBOREncoder
    fileprivate var count = 0
    private var last: UInt64?

    fileprivate init(encoder: CBOREncoder) { self.encoder = encoder }

    /// Adds a field, or nothing if the item is nil.
    package mutating func add<Item>(
        _ key: UInt64,
        _ item: Item?,
        _ write: (inout CBOREncoder, Item) -> Void
    ) {
        guard let item else { return }
        precondition(last.map { $0 < key } ?? true, "keys are in ascending order")
        (last, count) = (key, count + 1)
        encoder.unsigned(key)
        write(&encoder, item)
    }

    /// Adds an array, or nothing if it has no items.
    package mutating func add<Item>(
        _ key: UInt64,
        list: [Item],
        _ write: (inout CBOREncoder, Item) -> Void
    ) {
        add(key, list.isEmpty ? nil : list) { $0.array($1, write) }
    }
}

/// The major types of CBOR (RFC 8949, section 3.1).
enum CBORType: UInt8 {
    case unsigned, negative, bytes, text, array, map, tag, simple
}
