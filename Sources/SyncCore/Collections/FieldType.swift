/// The type of a field's value.
///
/// Writes are strict, merges are tolerant: a value of another type is kept and synced, but not
/// used.
public enum FieldType: Hashable, Sendable {
    /// True or false.
    case bool
    /// Text of at most `byteLimit` bytes of UTF-8.
    case text(byteLimit: Int)
    /// One of the words.
    case choice([String])
    /// One of the whole numbers.
    case oneOf([Int64])
    /// A whole number in a range.
    case whole(ClosedRange<Int64>)
    /// A list of `count` whole numbers in a range, strictly ascending.
    case ascending(count: Int, within: ClosedRange<Int64>)
    /// A calendar date as text, such as `2026-05-14`.
    case day
    /// Bytes of any number.
    case bytes
    /// The id of a row in a collection.
    case row(of: Text)
    /// A reference to a chunk, which is transferred separately: a `ChunkReference`.
    case chunk
    /// A list or a map that one collection defines.
    case structure(Structure)

    /// Text up to the limit of a cell.
    public static let anyText = FieldType.text(byteLimit: CBORDecoder.textByteLimit)

    /// A list or a map with its own validation.
    public struct Structure: Hashable, Sendable {
        /// The description, which also identifies the structure.
        public let name: String
        /// Two valid values, for the reference and for tests.
        package let examples: [Value]
        package let accepts: @Sendable (Value) -> Bool

        package init(
            _ name: String,
            examples: Value...,
            accepts: @escaping @Sendable (Value) -> Bool
        ) {
            (self.name, self.examples, self.accepts) = (name, examples, accepts)
        }

        /// Structures are equal if their names are.
        public static func == (left: Structure, right: Structure) -> Bool {
            left.name == right.name
        }

        /// Hashes the name.
        public func hash(into hasher: inout Hasher) { hasher.combine(name) }
    }
}

extension FieldType {
    /// Whether a field of this type may hold `value`.
    public func accepts(_ value: Value) -> Bool {
        switch self {
        case .bool: value.bool != nil
        case .text(let limit): value.text.map { $0.utf8.count <= limit } ?? false
        case .choice(let words): value.text.map(words.contains) ?? false
        case .oneOf(let numbers): value.integer.map(numbers.contains) ?? false
        case .whole(let bounds): value.integer.map(bounds.contains) ?? false
        case .ascending(let count, let bounds):
            value.list.map { list in
                let numbers = list.compactMap(\.integer)
                return numbers.count == list.count && numbers.count == count
                    && numbers.allSatisfy(bounds.contains)
                    && zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 }
            } ?? false
        case .day: value.text.map { CivilDate(iso8601: $0) != nil } ?? false
        case .bytes: value.bytes != nil
        case .row: value.bytes?.count == 16
        case .chunk: value.list != nil
        case .structure(let structure): structure.accepts(value)
        }
    }

    /// Parses text that a person typed, or returns nil if it is not valid for this type.
    ///
    /// Always returns nil for bytes, chunks and structures, which nobody types.
    public func value(of text: String) -> Value? {
        let value: Value
        switch self {
        case .bool:
            guard let truth = Self.truths[text.lowercased()] else { return nil }
            value = .bool(truth)
        case .choice, .text, .day: value = .text(Text(text))
        case .oneOf, .whole: value = Int64(text).map(Value.integer) ?? .null
        case .ascending:
            let numbers = text.split { $0 == "," || $0 == " " }.map { Int64($0) }
            value = .list(numbers.map { $0.map(Value.integer) ?? .null })
        case .row: value = Identifier(text).map { .bytes($0.bytes) } ?? .null
        case .bytes, .chunk, .structure: return nil
        }
        return accepts(value) ? value : nil
    }

    private static let truths = [
        "true": true, "yes": true, "on": true, "false": false, "no": false, "off": false,
    ]

    /// At least two different valid values; none for chunks.
    package var examples: [Value] {
        switch self {
        case .bool: [.bool(true), .bool(false)]
        case .text: [.text("a"), .text("Größe — 航海")]
        case .choice(let words): words.map { .text(Text($0)) }
        case .oneOf(let numbers): numbers.map(Value.integer)
        case .whole(let bounds): [.integer(bounds.lowerBound), .integer(bounds.upperBound)]
        case .ascending(let count, let bounds):
            (0...1).map { first in
                .list((0..<count).map { .integer(bounds.lowerBound + Int64($0 + first)) })
            }
        case .day: [.text("2026-05-14"), .text("2024-02-29")]
        case .bytes: [.bytes([0]), .bytes([1, 255])]
        case .row: [.bytes(Identifier(number: 1).bytes), .bytes(Identifier(number: 2).bytes)]
        case .chunk: []
        case .structure(let structure): structure.examples
        }
    }

    /// A description of valid values, for help, errors and the reference.
    public var expected: String {
        switch self {
        case .bool: "yes or no"
        case .text(let limit): "at most \(limit) bytes of text"
        case .choice(let words): "one of " + words.joined(separator: ", ")
        case .oneOf(let numbers): "one of " + numbers.map(String.init).joined(separator: ", ")
        case .whole(let bounds):
            "a whole number from \(bounds.lowerBound) to \(bounds.upperBound)"
        case .ascending(let count, let bounds):
            "\(count) ascending whole numbers from \(bounds.lowerBound) to \(bounds.upperBound)"
        case .day: "a day such as 2026-05-14"
        case .bytes: "bytes"
        case .row(let collection): "the id of a \(collection)"
        case .chunk: "the name of a chunk, and a summary of its content"
        case .structure(let structure): structure.name
        }
    }
}
